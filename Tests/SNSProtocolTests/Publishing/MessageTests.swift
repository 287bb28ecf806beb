// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Messages")
struct MessageTests {
    private static func message(
        _ fields: [String: String],
        to target: [String: String] = ["TopicArn": TestCall.topic],
        limits: SNSLimits = .sns
    ) throws -> SNSMessage {
        let fields = ["Message": "m"].merging(fields) { $1 }.merging(target) { $1 }
        guard case .publish(let request) = try TestCall.read("Publish", fields) else {
            throw SNSError(.internalError, "no publish")
        }
        return try request.parameters.message(to: request.target, limits: limits)
    }

    private static func error(
        _ fields: [String: String],
        to target: [String: String] = ["TopicArn": TestCall.topic],
        limits: SNSLimits = .sns
    ) -> SNSError? {
        TestCall.error { _ = try Self.message(fields, to: target, limits: limits) }
    }

    private static func attribute(
        _ name: String,
        _ type: String?,
        string: String? = nil,
        binary: String? = nil
    )
        -> [String: String]
    {
        let entry = "MessageAttributes.entry.1"
        var fields = ["\(entry).Name": name]
        fields["\(entry).Value.DataType"] = type
        fields["\(entry).Value.StringValue"] = string
        fields["\(entry).Value.BinaryValue"] = binary
        return fields
    }

    @Test(
        "what no message may be",
        arguments: [
            (["Message": ""], "Empty message"), (["Subject": ""], "Subject"), (["Subject": "a\nb"], "Subject"),
            (["Subject": String(repeating: "s", count: 101)], "Subject"), (["Subject": " a"], "Subject"),
            (["MessageStructure": "xml"], "MessageStructure Reason: must be json or absent, got 'xml'"),
            (["MessageStructure": "json"], "Message Structure - JSON message body failed to parse"),
            (
                ["MessageStructure": "json", "Message": "[]"],
                "Message Structure - JSON message body failed to parse"
            ),
            (
                ["MessageStructure": "json", "Message": #"{"APNS":"{}"}"#],
                "Message Structure - No default entry in JSON message body"
            ),
            (
                ["MessageStructure": "json", "Message": #"{"default":1}"#],
                "Message Structure - No default entry in JSON message body"
            ),
            (
                ["MessageStructure": "json", "Message": #"{"Default":"x"}"#],
                "Message Structure - No default entry in JSON message body"
            ),
            (
                ["MessageDeduplicationId": "d"],
                "MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid"
                    + " for this topic type"
            ),
        ]
    )
    func refused(fields: [String: String], text: String) {
        #expect(Self.error(fields) == SNSError(.invalidParameter, "Invalid parameter: \(text)"))
    }

    @Test("a subject of 100 characters and a group are taken")
    func taken() throws {
        let message = try Self.message(["Subject": String(repeating: "寿", count: 100), "MessageGroupId": "g"])
        #expect(message.subject?.count == 100)
        #expect(message.groupID == "g")
    }

    @Test("the size counts bytes of the text and of each attribute, and no more are taken than allowed")
    func size() throws {
        let attribute = Self.attribute("name", "String", string: "wert")
        let room = 262_144 - "nameStringwert".utf8.count
        let fits = String(repeating: "寿", count: room / 3) + String(repeating: "a", count: room % 3)
        let message = try Self.message(attribute.merging(["Message": fits]) { $1 })
        #expect(message.size == 262_144)
        let tooLong = attribute.merging(["Message": fits + "a"]) { $1 }
        #expect(Self.error(tooLong) == SNSError(.invalidParameter, "Invalid parameter: Message too long"))
        #expect(Self.error(tooLong, limits: .extended) == nil)
    }

    @Test("an endpoint is content with the entry of its platform")
    func direct() throws {
        let target = ["TargetArn": TestCall.endpoint]
        func error(_ message: String) -> SNSError? {
            Self.error(["MessageStructure": "json", "Message": message], to: target)
        }
        #expect(error(#"{"APNS":"{}"}"#) == nil)
        #expect(error(#"{"default":"x"}"#) == nil)
        let text = "Invalid parameter: JSON must contain an entry for 'default' or 'APNS'."
        #expect(error(#"{"APNS_SANDBOX":"{}"}"#) == SNSError(.invalidParameter, text))
    }

    @Test("a protocol gets its own text, or the default")
    func protocols() throws {
        let json = #"{"default":"d","http":"h","GCM":{"a":1},"default":"e"}"#
        let message = try Self.message(["MessageStructure": "json", "Message": json])
        #expect(message.text(forProtocol: "http") == "h")
        #expect(message.text(forProtocol: "https") == "e")
        #expect(message.text(forProtocol: "GCM") == "e")
        #expect(try Self.message([:]).text(forProtocol: "http") == "m")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var name = "a"
        var type: String
        var string: String?
        var binary: String?
        var text: String

        var testDescription: String { "\(self.name) of type \(self.type)" }
    }

    private static let refusals: [Refusal] = [
        Refusal(
            type: "String.",
            string: "x",
            text: """
                The message attribute 'a' has an invalid message attribute type, the set of supported type prefixes is \
                Binary, Number, and String.
                """
        ),
        Refusal(
            type: "Text",
            string: "x",
            text: """
                The message attribute 'a' has an invalid message attribute type, the set of supported type prefixes is \
                Binary, Number, and String.
                """
        ),
        Refusal(
            type: "String",
            string: "",
            text: """
                The message attribute 'a' must contain non-empty message attribute value for message attribute type \
                'String'.
                """
        ),
        Refusal(
            type: "Binary",
            text: """
                The message attribute 'a' must contain non-empty message attribute value for message attribute type \
                'Binary'.
                """
        ),
        Refusal(
            type: "Number",
            binary: "AAAA",
            text: "The message attribute 'a' with type 'Number' must use field 'String'."
        ),
        Refusal(
            type: "Binary",
            string: "x",
            text: "The message attribute 'a' with type 'Binary' must use field 'Binary'."
        ),
        Refusal(type: "Number", string: "x", text: "Could not cast message attribute 'a' value to number."),
        Refusal(type: "Number", string: "0x10", text: "Could not cast message attribute 'a' value to number."),
        Refusal(type: "Number", string: "inf", text: "Could not cast message attribute 'a' value to number."),
        Refusal(
            type: "Binary",
            binary: "?",
            text: "The message attribute 'a' must have a value in Base64 in field 'Binary'."
        ),
        Refusal(
            name: String(repeating: "n", count: 257),
            type: "String",
            string: "x",
            text: "Length of message attribute name must be less than 256 bytes."
        ),
        Refusal(
            name: "a^b",
            type: "String",
            string: "x",
            text: """
                Invalid non-alphanumeric character '#x5E' was found in the message attribute name. Can only include \
                alphanumeric characters, hyphens, underscores, or dots.
                """
        ),
        Refusal(
            name: ".a",
            type: "String",
            string: "x",
            text: "Invalid message attribute name starting with character '.' was found."
        ),
        Refusal(
            name: "a.",
            type: "String",
            string: "x",
            text: "Invalid message attribute name ending with character '.' was found."
        ),
        Refusal(
            name: "a..b",
            type: "String",
            string: "x",
            text: "Message attribute name can not have successive '.' character."
        ),
    ]

    @Test("attributes that are none are refused in SNS' words", arguments: Self.refusals)
    func attributes(refusal: Refusal) {
        let fields = Self.attribute(refusal.name, refusal.type, string: refusal.string, binary: refusal.binary)
        #expect(Self.error(fields) == SNSError(.parameterValueInvalid, refusal.text))
    }

    @Test("an attribute without a type is named by its path, in a batch too")
    func noType() throws {
        let fields = Self.attribute("a", nil, string: "x")
        #expect(Self.error(fields) == .missing(["messageAttributes.a.member.dataType"]))
        var batch = ["TopicArn": TestCall.topic]
        for number in 1...2 {
            let entry = "PublishBatchRequestEntries.member.\(number)"
            batch["\(entry).Id"] = "\(number)"
            batch["\(entry).Message"] = "m"
            guard number == 2 else { continue }
            for (name, value) in fields { batch["\(entry).\(name)"] = value }
        }
        guard case .publishBatch(let request) = try TestCall.read("PublishBatch", batch) else {
            return #expect(Bool(false))
        }
        let path = "publishBatchRequestEntries.2.member.messageAttributes.a.member.dataType"
        #expect(TestCall.error { _ = try request.messages(limits: .sns) } == .missing([path]))
    }

    @Test("a message to nobody is not looked at")
    func order() throws {
        let fields = ["Message": "", "TopicArn": TestCall.topic].merging(Self.attribute("^", "x")) { $1 }
        guard case .publish = try TestCall.read("Publish", fields) else { return #expect(Bool(false)) }
    }
}
