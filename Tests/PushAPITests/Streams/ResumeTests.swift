// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Testing

@Suite("Going on with a stream", .timeLimit(.minutes(20)))
struct ResumeTests {
    @Test(
        "passes over lines that were accepted before, and sends none of them twice",
        arguments: TestStoreBackend.allCases
    )
    func again(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let count = Mutex(0)
            let counting: @Sendable (Int, Target) -> Outcome = { _, _ in
                count.withLock { $0 += 1 }
                return .delivered
            }
            let lines = (1...10).map { streamLine($0) }
            let first = try await api.stream(Array(lines[..<6]), query: "?stream=a%20b", outcome: counting)
            #expect(first.lines.first?["accepted"]?.number == 0)
            let second = try await api.stream(lines, query: "?stream=a%20b", outcome: counting)
            #expect(second.lines.first == ["type": "resumed", "accepted": 6])
            #expect(second.outcomes.keys.sorted() == [7, 8, 9, 10])
            #expect(second.end?["linesRead"]?.number == 4)
            let third = try await api.stream(
                Array(lines[8...]) + [streamLine(11)],
                query: "?stream=a%20b&from=9",
                outcome: counting
            )
            #expect(third.lines.first == ["type": "resumed", "accepted": 10])
            #expect(third.outcomes.keys.sorted() == [11])
            #expect(count.withLock(\.self) == 11)
        }
    }

    @Test("tells outcomes and refusals of earlier lines again, from the line asked for, under the same apns-ids")
    func outcomes() async throws {
        try await withAPI { api async throws in
            let lines = [
                streamLine(1), "{", #"{"id":"c","token":"ab03","payload":{}}"#, "",
                #"{"token":"ab05","payload":{},"priority":5}"#,
            ]
            let rejecting: @Sendable (Int, Target) -> Outcome = { _, target in
                target.token.bytes.last == 3 ? .rejected(Rejection(.unregistered)) : .delivered
            }
            let first = try await api.stream(lines, query: "?stream=a", outcome: rejecting)
            #expect(first.outcomes == [1: "delivered", 3: "Unregistered", 5: "delivered"])
            func told(after line: Int) async throws -> StreamAnswers {
                try await api.stream([], query: "?stream=a&from=6&outcomesAfter=\(line)")
            }
            let all = try await told(after: 0)
            #expect(all.outcomes == first.outcomes)
            #expect(all.refusals == [2: "malformed_json"])
            let byLine: (JSONValue, JSONValue) -> Bool = { $0["line"]?.number ?? 0 < $1["line"]?.number ?? 0 }
            #expect(all.ofType("outcome").sorted(by: byLine) == first.ofType("outcome").sorted(by: byLine))
            #expect(all.end?["reason"]?.text == "completed")
            let some = try await told(after: 2)
            #expect(some.outcomes == [3: "Unregistered", 5: "delivered"])
            #expect(some.refusals.isEmpty)
            #expect(try await told(after: 5).outcomes.isEmpty)
        }
    }

    @Test("on two connections at once ends one of them, and sends no line twice")
    func taken() async throws {
        // Another connection stores a line of the stream after this one was opened.
        var setup = TestSetup()
        setup.wrap = { OvertakingStore.wrap($0) }
        try await withAPI(setup) { api async throws in
            let answers = try await api.stream([streamLine(1), streamLine(2)], query: "?stream=a")
            #expect(answers.through == nil)
            #expect(answers.outcomes.isEmpty)
            #expect(answers.end?["reason"]?.text == "stream_in_use")
            #expect(
                try await api.store.claim(
                    lane: .urgent,
                    limit: 1,
                    worker: "w",
                    leaseDuration: .seconds(9),
                    now: TestTime.start
                ).isEmpty
            )
        }
    }

    @Test("is refused if the store has a number of accepted lines that no stream reaches", arguments: [-1, Int.max])
    func impossible(accepted: Int) async throws {
        var setup = TestSetup()
        setup.wrap = { SilentStore(base: $0, acceptedLines: { _, _ in accepted }) }
        try await withAPI(setup) { api async throws in
            let answer = try await api.call(
                .post,
                "\(TestAPI.streamPath)?stream=a",
                bytes: ByteBuffer(string: streamLine(1)),
                headers: [.contentType: "application/x-ndjson"]
            )
            #expect(answer.code == "store_corrupt")
        }
    }

    @Test("is possible after the store was full; what was not acknowledged is not stored")
    func full() async throws {
        var setup = TestSetup()
        setup.maximumStoreBytes = 600 << 10
        try await withAPI(setup) { api async throws in
            let padding = String(repeating: "x", count: 2000)
            let lines = (1...2000).map { #"{"token":"ab","payload":{"n":\#($0),"x":"\#(padding)"}}"# }
            let answers = try await api.stream(lines, query: "?stream=a")
            #expect(answers.end?["reason"]?.text == "store_full")
            #expect(answers.end?["problem"]?["code"]?.text == "store_full")
            let through = answers.through ?? 0
            #expect(through < 2000)
            #expect(try await api.store.acceptedLines(of: "a", app: TestAPI.app) == through)
            #expect(answers.outcomes.keys.allSatisfy { $0 <= through })
        }
    }
}
