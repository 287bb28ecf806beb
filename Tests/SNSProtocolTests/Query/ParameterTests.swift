// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Parameters")
struct ParameterTests {
    private static func reader(_ form: String) throws -> ParameterReader {
        ParameterReader(try ParameterNode(try FormFields(Array(form.utf8), source: .body)))
    }

    @Test("elements come in the order of their numbers, whatever the order of the form and the gaps")
    func order() throws {
        let list = try Self.reader("L.member.10=j&L.member.2=b&L.member.7=g").list("L")
        #expect(list?.map(\.value) == ["b", "g", "j"])
    }

    @Test("an empty list differs from none")
    func empty() throws {
        #expect(try Self.reader("Tags=").list("Tags")?.count == 0)
        #expect(try Self.reader("Other=").list("Tags") == nil)
    }

    @Test("a map has each key once")
    func map() throws {
        var reader = try Self.reader("A.entry.1.key=x&A.entry.1.value=1&A.entry.2.key=y&A.entry.2.value=")
        #expect(try reader.map("A") == ["x": "1", "y": ""])
        var twice = try Self.reader("A.entry.1.key=x&A.entry.1.value=1&A.entry.2.key=x&A.entry.2.value=2")
        #expect(throws: SNSError(.invalidParameter, "Invalid parameter: A Reason: 'x' is given twice")) {
            try twice.map("A")
        }
    }

    @Test("what is no number is refused", arguments: ["x", "0", "-1", "1234567890", ""])
    func numbers(number: String) throws {
        let reader = try Self.reader("L.member.\(number).Key=a")
        let text = "Invalid parameter: L Reason: member must be followed by a number from 1 up, got '\(number)'"
        #expect(throws: SNSError(.invalidParameter, text)) { try reader.list("L") }
    }

    @Test("all that is missing is named at once")
    func missing() throws {
        var reader = try Self.reader("A.entry.1.key=x")
        _ = reader.required("TopicArn")
        _ = try reader.map("A")
        let text =
            "2 validation errors detected: Value null at 'topicArn' failed to satisfy constraint: Member must not be"
            + " null; Value null at 'a.1.value' failed to satisfy constraint: Member must not be null"
        #expect(throws: SNSError(.validationError, text)) { try reader.finish() }
    }

    @Test("names do not nest without bound")
    func depth() {
        let name = Array(repeating: "a", count: 100_000).joined(separator: ".")
        let error = TestCall.error { _ = try Self.reader("\(name)=1") }
        #expect(error?.code == .malformedQueryString)
        #expect(error?.message.count ?? 0 < 200)
    }
}
