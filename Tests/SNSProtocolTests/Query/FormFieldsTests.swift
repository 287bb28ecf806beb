// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import SNSProtocol

@Suite("Forms and queries")
struct FormFieldsTests {
    private static func fields(_ text: String) throws -> [String] {
        try FormFields(Array(text.utf8), source: .body).fields.map { "\($0.name)=\($0.value)" }
    }

    @Test(
        "names and values are decoded in their order",
        arguments: [
            ("", []), ("&&", []), ("a=1&b=2", ["a=1", "b=2"]), ("a", ["a="]), ("a=", ["a="]), ("=a", ["=a"]),
            ("a=b=c", ["a=b=c"]), ("a+b=c+d", ["a b=c d"]), ("a=%2B%26%3d", ["a=+&="]), ("&a=1&", ["a=1"]),
            ("m=%E5%AF%BF%e5%8f%b8", ["m=寿司"]), ("m=寿司", ["m=寿司"]), ("a=%00", ["a=\u{0}"]),
        ] as [(String, [String])]
    )
    func decoded(text: String, expected: [String]) throws {
        #expect(try Self.fields(text) == expected)
    }

    @Test(
        "what is malformed is refused with its place",
        arguments: [
            ("a=%", "at byte 2 of the form"), ("a=%4", "at byte 2"), ("a=b%4&c=d", "at byte 3"),
            ("x=1&a=%zz", "at byte 6"),
            ("a=%FF", "UTF-8, got something else in the one at byte 2"), ("%C3=1", "in the one at byte 0"),
            ("a=1&b=2&a=3", "got 'a' again at byte 8"),
        ]
    )
    func malformed(text: String, place: String) {
        let error = TestCall.error { _ = try Self.fields(text) }
        #expect(error?.code == .malformedQueryString)
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "no error")")
    }

    @Test("a million fields are refused at the limit")
    func bounded() {
        let text = (0..<1_000_000).map { "\($0)=" }.joined(separator: "&")
        let error = TestCall.error { _ = try Self.fields(text) }
        #expect(error?.message.hasPrefix("A form has at most 10000 parameters, got more at byte") == true)
    }

    @Test("fields of the URL and of the body are one request, but not under the same name")
    func both() throws {
        let query = try FormFields(Array("Action=Publish".utf8), source: .query)
        let body = try FormFields(Array("Message=a".utf8), source: .body)
        #expect(try query.adding(body).fields.map(\.name) == ["Action", "Message"])
        let error = TestCall.error { _ = try query.adding(query) }
        #expect(error?.message.contains("'Action' in the query string and in the form") == true)
    }

    @Test("every text survives encoding and decoding")
    func roundTrip() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            let encoded = text.utf8.map { "%" + Hex.text([$0]) }.joined()
            #expect(try FormFields(Array("a=\(encoded)".utf8), source: .query).fields.first?.value == text)
        }
    }

    @Test("a reader with the extended limits takes more fields")
    func extended() throws {
        let form = Array((0...FormFields.maximumCount).map { "a\($0)=" }.joined(separator: "&").utf8)
        #expect(throws: SNSError.self) { try FormFields(form, source: .body) }
        let fields = try FormFields(form, source: .body, limit: SNSLimits.extended.formFields)
        #expect(fields.fields.count == FormFields.maximumCount + 1)
    }
}
