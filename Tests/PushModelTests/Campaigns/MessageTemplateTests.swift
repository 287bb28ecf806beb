// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@Suite("Message templates")
struct MessageTemplateTests {
    private func template(_ json: String) throws -> MessageTemplate {
        try MessageTemplate(APNsPayload(json: json))
    }

    private func text(
        _ json: String,
        _ details: PersonalizationAttributes = PersonalizationAttributes()
    ) throws -> String? {
        if case .payload(let payload) = try self.template(json).render(details, limit: 4096) {
            payload.text
        } else {
            nil
        }
    }

    private let anna = PersonalizationAttributes(
        locale: "de-AT",
        userID: "anna",
        tags: ["name": "Anna", "city of birth": "Wien"]
    )

    @Test("without places they are passed on byte for byte")
    func plain() throws {
        let json = #"{"aps":{"alert":"a { b } {c}"},  "n":[{"x":{}}]}"#
        #expect(try self.template(json).isPersonal == false)
        #expect(try self.text(json) == json)
    }

    @Test("are filled with what the device told, anywhere in the texts")
    func filled() throws {
        let json = #"{"aps":{"alert":"Hello {{tags.name}}, {{ locale }}!"},"u":"{{userID}}{{tags.city of birth}}"}"#
        let expected = #"{"aps":{"alert":"Hello Anna, de-AT!"},"u":"annaWien"}"#
        #expect(try self.text(json, self.anna) == expected)
    }

    @Test("have another text for what the device did not tell")
    func instead() throws {
        let json = #"{"a":"Hello {{tags.name|\"you\" there}}{{locale|}}."}"#
        #expect(try self.text(json, self.anna) == #"{"a":"Hello Annade-AT."}"#)
        #expect(try self.text(json) == #"{"a":"Hello \"you\" there."}"#)
    }

    @Test("fail for a device that did not tell a value that has no other")
    func missing() throws {
        let template = try self.template(#"{"a":"{{tags.name}}"}"#)
        #expect(template.render(PersonalizationAttributes(), limit: 4096) == .failed(.missingValue))
    }

    @Test(
        "escape what they are filled with",
        arguments: ["\"quoted\"", "back\\slash", "line\nbreak\u{1}\t", "寿司 🍣", "\",\"b\":\"", "{{locale}}"]
    )
    func escaped(value: String) throws {
        let text = try #require(try self.text(#"{"a":"<{{tags.x}}>"}"#, PersonalizationAttributes(tags: ["x": value])))
        #expect(try JSONValue(json: Array(text.utf8)) == ["a": .string("<\(value)>")])
    }

    @Test("show two braces where the first one is written as an escape")
    func braces() throws {
        #expect(try self.text(#"{"a":"\u007b{locale}}"}"#) == #"{"a":"\u007b{locale}}"}"#)
    }

    @Test("fail for a device whose payload is over the limit")
    func size() throws {
        let template = try self.template(#"{"a":"{{tags.x}}"}"#)
        let details = PersonalizationAttributes(tags: ["x": String(repeating: "x", count: 100)])
        #expect(template.minimumSize == 8)
        #expect(template.render(details, limit: 107) == .failed(.payloadTooLarge))
        #expect(template.render(details, limit: 108) != .failed(.payloadTooLarge))
    }

    @Test(
        "name what is known, and end within their text",
        arguments: [
            #"{"a":"{{"}"#, #"{"a":"{{locale","b":"}}"}"#, #"{"a":"{{locale}"}"#, #"{"a":"{{}}"}"#,
            #"{"a":"{{name}}"}"#,
            #"{"a":"{{tags.}}"}"#,
        ]
    )
    func bad(json: String) throws {
        let payload = try APNsPayload(json: json)
        let failure = #expect(throws: InvalidValueError.self) { try MessageTemplate(payload) }
        #expect(failure?.value.contains("byte") == true)
    }

    @Test("are chosen by the nearest locale, however it is written")
    func variants() throws {
        let german = try self.template(#"{"a":"de"}"#)
        let austrian = try self.template(#"{"a":"de-AT"}"#)
        let other = try self.template(#"{"a":"en"}"#)
        let message = CampaignMessage(fallback: other, variants: ["de": german, "DE_at": austrian])
        #expect(message.template(for: "de-AT") == austrian)
        #expect(message.template(for: "de_at_WIEN") == austrian)
        #expect(message.template(for: "de-CH") == german)
        #expect(message.template(for: "den") == other)
        #expect(message.template(for: nil) == other)
        #expect(message.depth == .locale)
    }

    @Test("devices with personal values go together, each with its own payload, and those without a value by why")
    func personalParts() throws {
        let message = CampaignMessage(fallback: try self.template(#"{"a":"{{tags.name}}"}"#))
        let members = try self.members(["a", "b", nil, "a", nil].map { (nil, $0) })
        let parts = message.compose(members)
        #expect(parts.map { $0.targets.map(\.token.bytes) } == [[[0], [1], [3]], [[2], [4]]])
        #expect(parts.map(\.failure) == [nil, .missingValue])
        #expect((0..<3).map { parts[0].payload[$0].text } == [#"{"a":"a"}"#, #"{"a":"b"}"#, #"{"a":"a"}"#])
    }

    @Test("devices of one variant share its payload, whatever their locales are called")
    func sharedParts() throws {
        let message = CampaignMessage(
            fallback: try self.template(#"{"a":"other"}"#),
            variants: ["de": try self.template(#"{"a":"deutsch"}"#)]
        )
        let parts = message.compose(try self.members([("de-AT", nil), (nil, nil), ("de", nil), ("fr", nil)]))
        #expect(parts.map { $0.payload[0].text } == [#"{"a":"deutsch"}"#, #"{"a":"other"}"#])
        #expect(parts.map { $0.targets.map(\.token.bytes) } == [[[0], [2]], [[1], [3]]])
    }

    private func members(_ told: [(locale: String?, name: String?)]) throws -> [AudienceDevice] {
        try told.enumerated().map { index, told in
            AudienceDevice(
                place: 1,
                target: Target(token: try DeviceToken(bytes: [UInt8(index)]), environment: .sandbox),
                details: PersonalizationAttributes(locale: told.locale, tags: told.name.map { ["name": $0] } ?? [:])
            )
        }
    }
}
