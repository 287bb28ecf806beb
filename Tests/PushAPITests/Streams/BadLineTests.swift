// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import PushAPI
import Testing

@Suite("A bad line of a stream", .timeLimit(.minutes(20)))
struct BadLineTests {
    private static let token = String(repeating: "ab", count: 32)

    @Test(
        "is refused alone, with the code and the field",
        arguments: [
            ("garbage", "malformed_json", "nil"),
            (#"{"token":"#, "malformed_json", "nil"),
            (#"{"token":"ab","payload":{}} x"#, "malformed_json", "nil"),
            (#"[1]"#, "invalid_request", "body"),
            (#"{"payload":{}}"#, "invalid_request", "token"),
            (#"{"token":"xy","payload":{}}"#, "invalid_device_token", "token"),
            (#"{"token":"ab"}"#, "invalid_request", "body"),
            (#"{"token":"ab","payload":{},"notification":{"body":"x"}}"#, "invalid_request", "body"),
            (#"{"token":"ab","payload":"{}"}"#, "invalid_request", "payload"),
            (#"{"token":"ab","payload":{},"token":"ab"}"#, "invalid_request", "token"),
            (#"{"token":"ab","payload":{},"titel":1}"#, "invalid_request", "titel"),
            (#"{"token":"ab","payload":{},"environment":"test"}"#, "invalid_request", "environment"),
            (#"{"token":"ab","payload":{},"priority":7}"#, "invalid_request", "priority"),
            (#"{"token":"ab","payload":{},"priority":5.5}"#, "invalid_request", "priority"),
            (#"{"token":"ab","payload":{},"pushType":"x"}"#, "invalid_request", "pushType"),
            (#"{"token":"ab","payload":{},"pushType":"background","priority":10}"#, "invalid_request", "priority"),
            (#"{"token":"ab","payload":{},"expiration":-1}"#, "invalid_request", "expiration"),
            (#"{"token":"ab","payload":{},"id":7}"#, "invalid_request", "id"),
            (#"{"token":"ab","payload":{},"id":""}"#, "invalid_request", "id"),
            (
                #"{"token":"ab","payload":{"a":"\#(String(repeating: "x", count: 4096))"}}"#, "payload_too_large",
                "payload"
            ),
            (#"{"token":"ab","payload":{}}"# + String(repeating: " ", count: 20_000), "line_too_long", "body"),
        ] as [(String, String, String)]
    )
    func refused(line: String, code: String, field: String) async throws {
        try await withAPI { api async throws in
            let answers = try await api.stream([streamLine(1), line, streamLine(3)])
            #expect(answers.refusals == [2: code])
            let problem = answers.ofType("rejected").first?["problem"]
            #expect(problem?["field"]?.text ?? "nil" == field)
            #expect(problem?["detail"]?.text?.isEmpty == false)
            #expect(answers.outcomes == [1: "delivered", 3: "delivered"])
            #expect(answers.through == 3)
            #expect(answers.end?["rejectedLines"]?.number == 1)
        }
    }

    @Test("with several faults is refused with the first four of them, and says how many there are")
    func several() async throws {
        try await withAPI { api async throws in
            let two = #"{"token":"xy","payload":[]}"#
            let many = #"{"token":"ab","payload":{},"a":1,"b":1,"c":1,"d":1,"e":1}"#
            let answers = try await api.stream([streamLine(1), two, many])
            let problems = answers.ofType("rejected").compactMap { $0["problem"] }
            let fields = problems.map { $0["errors"]?.elements.compactMap { $0["field"]?.text } ?? [] }
            #expect(fields.map(Set.init) == [["token", "payload"], ["a", "b", "c", "d"]])
            #expect(problems.first?["detail"]?.text?.hasSuffix("(and 1 more)") == true)
            #expect(problems.last?["detail"]?.text?.hasSuffix("(and 4 more)") == true)
            for problem in problems {
                let first = problem["errors"]?.elements.first
                #expect(first?["field"] == problem["field"])
                #expect(first?["expected"] == problem["expected"])
                #expect(first?["actual"] == problem["actual"])
            }
        }
    }

    @Test("that is not UTF-8, or has a control character, is refused alone")
    func bytes() async throws {
        try await withAPI { api async throws in
            var body = ByteBuffer()
            for byte in [0xFF, 0x00, 0xC0] as [UInt8] {
                body.writeString(#"{"token":"ab","payload":{"a":""#)
                body.writeInteger(byte)
                body.writeString("\"}}\n")
            }
            body.writeString(streamLine(4))
            let answers = try await api.stream(body)
            #expect(answers.refusals == [1: "malformed_json", 2: "malformed_json", 3: "malformed_json"])
            #expect(answers.outcomes == [4: "delivered"])
        }
    }

    @Test("at the end of the request, cut short, is refused; a whole one without a line feed is taken")
    func end() async throws {
        try await withAPI { api async throws in
            let half = try await api.stream(ByteBuffer(string: streamLine(1) + "\n" + streamLine(2).dropLast(3)))
            #expect(half.refusals == [2: "malformed_json"])
            #expect(half.outcomes == [1: "delivered"])
            let whole = try await api.stream(ByteBuffer(string: streamLine(1) + "\n" + streamLine(2)))
            #expect(whole.outcomes == [1: "delivered", 2: "delivered"])
        }
    }

    @Test("that is empty does nothing, and counts; line ends may be CR LF")
    func empty() async throws {
        try await withAPI { api async throws in
            let answers = try await api.stream(["", streamLine(2) + "\r", " \t", "\r", streamLine(5), ""])
            #expect(answers.outcomes == [2: "delivered", 5: "delivered"])
            #expect(answers.refusals.isEmpty)
            #expect(answers.through == 6)
            #expect(answers.end?["reason"]?.text == "completed")
            let nothing = try await api.stream([])
            #expect(nothing.end?["linesRead"]?.number == 0)
        }
    }

    @Test("never ends the stream, however many there are")
    func many() async throws {
        try await withAPI { api async throws in
            let answers = try await api.stream((1...7000).map { $0.isMultiple(of: 2) ? "{" : streamLine($0) })
            #expect(answers.refusals.count == 3500)
            #expect(answers.outcomes.count == 3500)
            #expect(answers.end?["reason"]?.text == "completed")
        }
    }
}
