// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Synchronization
import Testing

@testable import PushAPI

@Suite("The memory of an import", .timeLimit(.minutes(20)))
struct ImportSessionTests {
    /// Counts what goes in and what is stored.
    private final class Tally: Sendable {
        private let counts = Mutex((read: 0, stored: 0, most: 0))

        var most: Int { self.counts.withLock(\.most) }
        var stored: Int { self.counts.withLock(\.stored) }

        func read(_ count: Int) {
            self.counts.withLock { counts in
                counts.read += count
                counts.most = max(counts.most, counts.read - counts.stored)
            }
        }

        func store(_ count: Int) { self.counts.withLock { $0.stored += count } }
    }

    private struct CountingStore: StoreDecorator {
        let base: any PushStore & SQLBacked
        let tally: Tally

        func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
            let stored = try await self.base.register(registrations, now: now)
            self.tally.store(registrations.count)
            return stored
        }
    }

    private struct CollectingWriter: ResponseBodyWriter {
        let written: AsyncStream<ByteBuffer>.Continuation

        mutating func write(_ buffer: ByteBuffer) async throws { self.written.yield(buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { self.written.finish() }
    }

    @Test("holds a part and two transactions' worth of lines, however long the file is")
    func bounded() async throws {
        try await withTemporaryStore { base in
            let app = App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start)
            try await base.createApp(app)
            let tally = Tally()
            let session = DeviceImport(
                app: app,
                format: .ndjson,
                isDryRun: false,
                store: CountingStore(base: base, tally: tally),
                lineLimit: 64 << 10,
                clock: SelectiveClock(passing: .zero),
                now: { TestTime.start },
                logger: Logger(label: "test"),
                refusal: { nil }
            )
            let parts = Mutex(0)
            let source = AsyncStream<ByteBuffer> {
                let part = parts.withLock { number in
                    defer { number += 1 }
                    return number
                }
                guard part < 100 else { return nil }
                tally.read(100)
                return ByteBuffer(
                    string: (part * 100..<part * 100 + 100).map { number in
                        #"{"device":"i\#(number)","token":"\#(String(format: "%064x", number))"}"# + "\n"
                    }.joined()
                )
            }
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            var writer: any ResponseBodyWriter = CollectingWriter(written: writing)
            try await session.run(RequestBody(asyncSequence: source), &writer)
            var answer = ""
            for await buffer in written { answer += String(buffer: buffer) }
            #expect(StreamAnswers(answer).end?["imported"]?.number == 10_000)
            #expect(tally.stored == 10_000)
            #expect(tally.most <= 2 * ImportLimits.chunkDevices + 100)
        }
    }

    @Test("of a file that comes slowly stores what has come after a second, and tells of it, also of what is refused")
    func slowly() async throws {
        try await withTemporaryStore { store in
            let app = App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start)
            try await store.createApp(app)
            let seconds = Mutex(0.0)
            let session = DeviceImport(
                app: app,
                format: .ndjson,
                isDryRun: false,
                store: store,
                lineLimit: 64 << 10,
                clock: SelectiveClock(passing: ImportLimits.interval),
                now: {
                    TestTime.start.addingTimeInterval(
                        seconds.withLock { seconds in
                            seconds += 0.1
                            return seconds
                        }
                    )
                },
                logger: Logger(label: "test"),
                refusal: { nil }
            )
            let (body, source) = RequestBody.makeStream()
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var writer: any ResponseBodyWriter = CollectingWriter(written: writing)
                    try await session.run(body, &writer)
                }
                var answer = ""
                var buffers = written.makeAsyncIterator()
                for (line, lines) in [(#"{"device":"a","token":"\#(TestToken.hex(1))"}"#, 1), ("{", 2)] {
                    await source.yield(ByteBuffer(string: line + "\n"))
                    while StreamAnswers(answer).ofType("progress").last?["linesRead"]?.number != lines,
                        let buffer = await buffers.next()
                    {
                        answer += String(buffer: buffer)
                    }
                    #expect(try await store.device("a", of: TestAPI.app) != nil)
                }
                source.finish()
                while let buffer = await buffers.next() { answer += String(buffer: buffer) }
                #expect(StreamAnswers(answer).refusals == [2: "malformed_json"])
                #expect(StreamAnswers(answer).end?["imported"]?.number == 1)
                try await group.waitForAll()
            }
        }
    }
}

@Suite("Lines of comma-separated values")
struct CSVLineTests {
    private static func lines(_ parts: [String], maximum: Int = 32) -> [String] {
        var buffer = LineBuffer(maximum: maximum, quotation: true)
        var lines: [String] = []
        func add(_ line: LineBuffer.Line) {
            switch line {
            case .overlong: lines.append("overlong")
            case .text(let range): lines.append(String(decoding: buffer.bytes[range], as: UTF8.self))
            }
        }
        for part in parts {
            buffer.append(ByteBuffer(string: part))
            while let line = buffer.next() { add(line) }
            #expect(buffer.bytes.count <= maximum + part.utf8.count)
        }
        while let line = buffer.finish() { add(line) }
        return lines
    }

    @Test(
        "end at line feeds that are not quoted, however they come in",
        arguments: [
            ("a,\"b\nc\"\nd\n", ["a,\"b\nc\"", "d"]), ("\"a\"\"\nb\",c\nd", ["\"a\"\"\nb\",c", "d"]),
            ("a\"b\nc\"d\n", ["a\"b", "c\"d"]), ("\"\",\"\n\"\n\n", ["\"\",\"\n\"", ""]),
        ]
    )
    func quoted(_ text: String, _ lines: [String]) {
        #expect(Self.lines([text]) == lines)
        #expect(Self.lines(text.map(String.init)) == lines)
    }

    @Test("with a quotation mark that is not closed take no other line with them")
    func unclosed() {
        #expect(Self.lines(["\"a\nb\nc"]) == ["\"a", "b", "c"])
        #expect(
            Self.lines(["\"a\nb\n\"c\nd\n"], maximum: 4) == ["\"a\nb\n\"c", "d"].map { $0.count > 4 ? "overlong" : $0 }
        )
        #expect(Self.lines(["\"a\n", "b\n", "c\n", "d\n"], maximum: 4) == ["\"a", "b", "c", "d"])
        #expect(Self.lines(["\"aaaaaa", "aaa\n", "b\n"], maximum: 4) == ["overlong", "b"])
    }

    @Test("with a quotation mark that is not closed in each of them are scanned once", .timeLimit(.minutes(20)))
    func manyUnclosed() {
        // Whether a quotation mark is open before this line or not, one is open after it.
        let line = "a\"b,\""
        let part = String(repeating: line + "\n", count: 20_000)
        let lines = Self.lines(Array(repeating: part, count: 10), maximum: 65_536)
        #expect(lines.count == 200_000)
        #expect(lines.allSatisfy { $0 == line })
    }
}
