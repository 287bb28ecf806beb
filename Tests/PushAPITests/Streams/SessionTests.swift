// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Hummingbird
import Logging
import Metrics
import NIOCore
import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Synchronization
import Testing
import Work

@testable import PushAPI

@Suite("A stream's connection", .timeLimit(.minutes(20)))
struct SessionTests {
    private struct Broken: Error {}

    /// Counts what several tasks do.
    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { self.count.withLock(\.self) }

        func add(_ more: Int) -> Int {
            self.count.withLock { count in
                count += more
                return count
            }
        }
    }

    /// Takes what is written, once it is let.
    private struct GatedWriter: ResponseBodyWriter {
        let written: AsyncStream<ByteBuffer>.Continuation
        let gate: AsyncStream<Void>

        mutating func write(_ buffer: ByteBuffer) async throws {
            for await _ in self.gate {}
            try Task.checkCancellation()
            self.written.yield(buffer)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { self.written.finish() }
    }

    private static func session(
        _ store: any PushStore,
        signals: ChangeHub<BatchID>,
        stream: String? = nil,
        accepted: Int = 0,
        limits: StreamLimits = StreamLimits(),
        memory: BodyMemory = BodyMemory(limit: 256 << 20)
    ) throws -> StreamSession {
        var query = stream.map { ["stream": $0] } ?? [:]
        if accepted > 0 { query.merge(["from": "\(accepted + 1)", "outcomesAfter": "0"]) { $1 } }
        return StreamSession(
            share: try CallShares(PushAPIConfiguration()).take(.stream, for: nil),
            memory: BodyMemory.Share(of: memory, key: "key"),
            app: App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start),
            request: try StreamRequest(query),
            accepted: accepted,
            store: store,
            signals: signals,
            limits: limits,
            metrics: AcceptanceMetrics(NOOPMetricsHandler.instance),
            refusal: { nil },
            recheckInterval: .seconds(1),
            clock: ContinuousClock(),
            now: { TestTime.start },
            logger: Logger(label: "test")
        )
    }

    private static func lines(_ numbers: Range<Int>) -> ByteBuffer {
        ByteBuffer(string: numbers.map { streamLine($0) + "\n" }.joined())
    }

    @Test("whose answers nobody takes has no more lines read than may be open, and goes on when they are taken")
    func slowReader() async throws {
        try await withTemporaryStore { store in
            try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            var limits = StreamLimits()
            limits.maximumOpenLines = 500
            limits.maximumChunkLines = 100
            let signals = ChangeHub(outcomesOf: store)
            let session = try Self.session(store, signals: signals, limits: limits)
            let delivery = FakeDelivery(store: store)
            let (body, source) = RequestBody.makeStream()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            let settled = Counter()
            let (progress, advanced) = AsyncStream.makeStream(of: Int.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await signals.run() }
                group.addTask {
                    try await delivery.settleAll { _, _ in
                        .delivered
                    } _: { batch in
                        advanced.yield(settled.add(batch.targets.count))
                        return true
                    }
                }
                group.addTask {
                    for part in 0..<100 { await source.yield(Self.lines(part * 50 + 1..<part * 50 + 51)) }
                    source.finish()
                }
                group.addTask {
                    var writer: any ResponseBodyWriter = GatedWriter(written: writing, gate: gate)
                    try await session.run(body, &writer)
                }
                for await count in progress where count >= 500 { break }
                for _ in 0..<20 { try await store.checkWritable() }
                #expect(settled.value == 500)
                open.finish()
                var text = ""
                for await buffer in written { text += String(buffer: buffer) }
                let answers = StreamAnswers(text)
                #expect(answers.outcomes.count == 5000)
                #expect(answers.end?["reason"]?.text == "completed")
                group.cancelAll()
            }
        }
    }

    @Test("whose answers nobody takes has no more refused lines told again than may be open")
    func refusedAgain() async throws {
        try await withTemporaryStore { base in
            try await base.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            var lines = StreamLineList()
            let problem = Array(#"{"code":"malformed_json","detail":"x"}"#.utf8)
            for _ in 0..<100 { lines.append(.init(fate: .refused(problem[...]))) }
            for chunk in 0..<50 {
                try await base.append(
                    StreamChunk(
                        stream: "a",
                        app: TestAPI.app,
                        lines: chunk * 100 + 1..<chunk * 100 + 101,
                        notification: nil,
                        entries: lines.encoded,
                        createdAt: TestTime.start
                    )
                )
            }
            let read = Counter()
            let (reading, reads) = AsyncStream.makeStream(of: Int.self)
            let probe = StoreProbe(before: { if $0 == "chunks(of:app:after:limit:)" { reads.yield(read.add(1)) } })
            let store = ProbedStore(base, probe)
            var limits = StreamLimits()
            limits.maximumOpenLines = 500
            let signals = ChangeHub(outcomesOf: base)
            let session = try Self.session(store, signals: signals, stream: "a", accepted: 5000, limits: limits)
            let (body, source) = RequestBody.makeStream()
            source.finish()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    var writer: any ResponseBodyWriter = GatedWriter(written: writing, gate: gate)
                    try await session.run(body, &writer)
                }
                for await count in reading where count >= 5 { break }
                for _ in 0..<100 { try await base.checkWritable() }
                #expect(read.value == 5)
                open.finish()
                var text = ""
                for await buffer in written { text += String(buffer: buffer) }
                let answers = StreamAnswers(text)
                #expect(answers.refusals.count == 5000)
                #expect(answers.refusals.values.allSatisfy { $0 == "malformed_json" })
                #expect(answers.end?["reason"]?.text == "completed")
                #expect(answers.end?["pending"]?.number == 0)
            }
        }
    }

    @Test("takes no more lines than the memory of bodies has room for while the store stalls, and goes on after that")
    func stalledStore() async throws {
        try await withTemporaryStore { base in
            try await base.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            let (stall, storeGoesOn) = AsyncStream.makeStream(of: Void.self)
            let (stalls, stalled) = AsyncStream.makeStream(of: Void.self)
            let probe = StoreProbe(before: { operation in
                guard operation.hasPrefix("accept") else { return }
                stalled.yield()
                for await _ in stall {}
            })
            let signals = ChangeHub(outcomesOf: base)
            let memory = BodyMemory(limit: 1 << 20)
            let session = try Self.session(ProbedStore(base, probe), signals: signals, memory: memory)
            let delivery = FakeDelivery(store: base)
            let (body, source) = RequestBody.makeStream()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            open.finish()
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            let sent = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await signals.run() }
                group.addTask { try await delivery.settleAll { _, _ in .delivered } }
                group.addTask {
                    for part in 0..<100 {
                        await source.yield(Self.lines(part * 100 + 1..<part * 100 + 101))
                        _ = sent.add(1)
                    }
                    source.finish()
                }
                group.addTask {
                    var writer: any ResponseBodyWriter = GatedWriter(written: writing, gate: gate)
                    try await session.run(body, &writer)
                }
                for await _ in stalls { break }
                // The key may have half of the memory, beside the first part of the body.
                try await waitUntil { memory.takenBytes > 400_000 }
                for _ in 0..<100 { try await base.checkWritable() }
                #expect(memory.takenBytes <= 1 << 19 + BodyMemory.small)
                #expect(sent.value < 100)
                storeGoesOn.finish()
                var text = ""
                for await buffer in written { text += String(buffer: buffer) }
                #expect(StreamAnswers(text).end?["delivered"]?.number == 10_000)
                #expect(memory.takenBytes == 0)
            }
        }
    }

    @Test("does not hold back outcomes for one that is to be sent later")
    func deferred() async throws {
        try await withTemporaryStore { store in
            try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            let signals = ChangeHub(outcomesOf: store)
            let session = try Self.session(store, signals: signals)
            let (body, source) = RequestBody.makeStream()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            open.finish()
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            let changes = store.changes()
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await signals.run() }
                group.addTask {
                    var writer: any ResponseBodyWriter = GatedWriter(written: writing, gate: gate)
                    try await session.run(body, &writer)
                }
                await source.yield(Self.lines(1..<4))
                source.finish()
                for await change in changes where change == .batchReady(.urgent) { break }
                let delivery = FakeDelivery(store: store)
                let claimed = try #require(try await delivery.claim(.urgent))
                let later = Deferral(index: 1, notBefore: TestTime.start)
                let first = Settlement(of: claimed, range: 0..<3, failures: [], deferrals: [later])
                _ = try await store.settle(first, now: TestTime.start)
                var text = ""
                var buffers = written.makeAsyncIterator()
                while StreamAnswers(text).outcomes.count < 2, let buffer = await buffers.next() {
                    text += String(buffer: buffer)
                }
                #expect(StreamAnswers(text).outcomes == [1: "delivered", 3: "delivered"])
                let failure = Settlement.Failure(index: 1, outcome: .failed(.timeout))
                _ = try await store.settle(
                    Settlement(of: claimed, resent: [later], failures: [failure]),
                    now: TestTime.start
                )
                while let buffer = await buffers.next() { text += String(buffer: buffer) }
                #expect(StreamAnswers(text).outcomes == [1: "delivered", 2: "failed", 3: "delivered"])
                #expect(StreamAnswers(text).end?["reason"]?.text == "completed")
            }
        }
    }

    @Test("that breaks leaves what was acknowledged to be sent, and gives its place free")
    func vanished() async throws {
        try await withTemporaryStore { store in
            try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            let signals = ChangeHub(outcomesOf: store)
            let session = try Self.session(store, signals: signals, stream: "a")
            let (body, source) = RequestBody.makeStream()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            open.finish()
            let (written, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: Broken.self) {
                        var writer: any ResponseBodyWriter = GatedWriter(written: writing, gate: gate)
                        try await session.run(body, &writer)
                    }
                }
                await source.yield(Self.lines(1..<11))
                var text = ""
                for await buffer in written {
                    text += String(buffer: buffer)
                    if text.contains("accepted\",\"acceptedThrough") { break }
                }
                source.finish(Broken())
            }
            #expect(try await store.acceptedLines(of: "a", app: TestAPI.app) == 10)
            let claimed = try #require(try await FakeDelivery(store: store).claim(.urgent))
            #expect(claimed.batch.targets.count == 10)
        }
    }
}

@Suite("The lines of a stream")
struct LineBufferTests {
    private static func lines(_ parts: [String], maximum: Int = 8) -> [String] {
        var buffer = LineBuffer(maximum: maximum)
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
        if let rest = buffer.finish() { add(rest) }
        return lines
    }

    @Test("are cut at line feeds, however they come in")
    func cut() {
        #expect(Self.lines(["ab\nc", "", "d\n", "\n\nef"]) == ["ab", "cd", "", "", "ef"])
        #expect(Self.lines("ab\ncd\n".map(String.init)) == ["ab", "cd"])
        #expect(Self.lines([]).isEmpty)
    }

    @Test("that are too long are told of once, and not kept")
    func overlong() {
        #expect(Self.lines(["12345678\n123456789\nab\n"]) == ["12345678", "overlong", "ab"])
        #expect(Self.lines(["123", "456", "789", "123456789", "1\nab"]) == ["overlong", "ab"])
        #expect(Self.lines(["123456789"]) == ["overlong"])
    }

    @Test("are answered with the status that is stored, whatever it is", arguments: [0, 410, -7, Int.min, Int.max])
    func status(_ status: Int) {
        var output = ByteBuffer()
        let outcome = Outcome.rejected(Rejection(status: status, reason: .unregistered))
        StreamResponseWriter.outcome(outcome, of: 1, name: [], apnsID: .random(), to: &output)
        #expect(String(buffer: output).contains("\"status\":\(status),\"reason\":\"Unregistered\""))
    }

    @Test("come back from the store as they were kept")
    func list() throws {
        var list = StreamLineList()
        let lines: [StreamLineList.Line] = [
            .init(fate: .empty), .init(name: [1, 2], fate: .accepted(ordinal: 300, index: 9999)),
            .init(name: [3], fate: .refused(Array(repeating: 7, count: 1000)[...])), .init(fate: .refused([])),
            .init(fate: .accepted(ordinal: 0, index: 0)),
        ]
        for line in lines { list.append(line) }
        #expect(Array(try #require(StreamLineList(encoded: list.encoded))) == lines)
        for end in 1..<list.encoded.count where StreamLineList(encoded: Array(list.encoded[..<end])) != nil {
            #expect(Array(lines[..<(StreamLineList(encoded: Array(list.encoded[..<end]))?.count ?? 0)]).count < 5)
        }
        #expect(StreamLineList(encoded: [2]) == nil)
    }
}
