// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("a bundle identifier has letters, digits, hyphens and dots", arguments: ["com.example.app", "a", "A-1.b"])
    func validAppID(text: String) throws {
        #expect(try AppID(validating: text).description == text)
        #expect(AppID(rawValue: text)?.rawValue == text)
    }

    @Test(
        "what is no bundle identifier is refused with field, rule and size",
        arguments: ["", "com.example/app", "com example", "com.exämple", String(repeating: "a", count: 156)]
    )
    func invalidAppID(text: String) {
        #expect(AppID(rawValue: text) == nil)
        let failure = #expect(throws: InvalidValueError.self) { try AppID(validating: text) }
        #expect(failure?.field == "app")
        #expect(failure?.rule == AppID.rule)
        #expect(failure?.value == "\(text.utf8.count) bytes")
    }

    @Test("an installation id is 1 to 128 bytes without control characters")
    func installationID() {
        #expect(DeviceID(rawValue: "6f9619ff / 端末") != nil)
        #expect(DeviceID(rawValue: String(repeating: "x", count: 128)) != nil)
        #expect(DeviceID(rawValue: String(repeating: "x", count: 129)) == nil)
        #expect(DeviceID(rawValue: String(repeating: "端", count: 43)) == nil)
        #expect(DeviceID(rawValue: "") == nil)
        #expect(DeviceID(rawValue: "a\nb") == nil)
        #expect(DeviceID(rawValue: "a\u{7F}") == nil)
    }

    @Test("a key id has no underscore, which separates it from its secret")
    func keyID() {
        #expect(APIKeyID(rawValue: "0123abcd") != nil)
        #expect(APIKeyID(rawValue: "a_b") == nil)
        #expect(APIKeyID(rawValue: "ABC") == nil)
    }

    @Test("identifiers are written as plain JSON text and validated when read")
    func json() throws {
        let encoded = try JSONEncoder().encode(["id": DeviceID("phone")])
        #expect(String(decoding: encoded, as: UTF8.self) == #"{"id":"phone"}"#)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: AppID].self, from: Data(#"{"id":"a b"}"#.utf8))
        }
    }

    @Test("a literal that breaks the rule ends the process")
    func literal() async {
        await #expect(processExitsWith: .failure) { _ = AppID("not a bundle id") }
    }
}
