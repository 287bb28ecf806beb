// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: streams", .timeLimit(.minutes(20)))
struct StreamTests {
    @Test(
        "a stream is gone on with where its chunks end, those of which nothing is sent among them",
        arguments: TestStoreBackend.allCases
    )
    func resume(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let acceptedLines = try await store.acceptedLines(of: "s", app: StoreFixtures.app)
            #expect(acceptedLines == 0, "an unknown stream")
            let plan = try StoreFixtures.plan()
            let chunks = [
                StoreFixtures.chunk(1..<4, plan.notification.id), StoreFixtures.chunk(4..<5),
                StoreFixtures.chunk(5..<3000),
            ]
            try await store.accept(plan.notification, batches: plan.batches, noting: .chunk(chunks[0]))
            for chunk in chunks[1...] { try await store.append(chunk) }
            let acceptedLinesThen = try await store.acceptedLines(of: "s", app: StoreFixtures.app)
            #expect(acceptedLinesThen == 2999, "the lines")
            let all = try await store.chunks(of: "s", app: StoreFixtures.app, after: 0, limit: 10)
            #expect(all == chunks, "the chunks")
            let some = try await store.chunks(of: "s", app: StoreFixtures.app, after: 3, limit: 1)
            #expect(some == [chunks[1]], "the chunk after line 3")
            let middle = try await store.chunks(of: "s", app: StoreFixtures.app, after: 100, limit: 10)
            #expect(middle == [chunks[2]], "the chunk around line 100")
            let behind = try await store.chunks(of: "s", app: StoreFixtures.app, after: .max, limit: 10)
            #expect(behind == [], "the chunks behind every line that there can be")
        }
    }

    @Test(
        "a chunk that does not begin where its stream ends stores nothing, also of what it would send",
        arguments: TestStoreBackend.allCases
    )
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.append(StoreFixtures.chunk(1..<4))
            for lines in [1..<4, 3..<5, 5..<6, 1..<2, 4..<4] {
                let plan = try StoreFixtures.plan()
                try await expectError(.conflict, "lines \(lines) after line 3") {
                    let chunk = StoreFixtures.chunk(lines, plan.notification.id)
                    try await store.accept(plan.notification, batches: plan.batches, noting: .chunk(chunk))
                }
                #expect(try await store.notification(plan.notification.id) == nil, "the notification")
            }
            try await expectError(.conflict, "lines 5 to 6") { try await store.append(StoreFixtures.chunk(5..<7)) }
            let acceptedLines = try await store.acceptedLines(of: "s", app: StoreFixtures.app)
            #expect(acceptedLines == 3, "the lines")
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 0, "how many batches there are")
        }
    }

    @Test(
        "streams of the same name of two apps have nothing to do with one another",
        arguments: TestStoreBackend.allCases
    )
    func apps(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.append(StoreFixtures.chunk(1..<4))
            let acceptedLines = try await store.acceptedLines(of: "s", app: StoreFixtures.otherApp)
            #expect(acceptedLines == 0, "the other's lines")
            let chunks = try await store.chunks(of: "s", app: StoreFixtures.otherApp, after: 0, limit: 10)
            #expect(chunks == [], "the other's chunks")
            try await expectError(.notFound, "no app") {
                try await store.append(StoreFixtures.chunk(1..<2, app: "com.example.none"))
            }
        }
    }

    @Test(
        "streams are forgotten by the age of their last chunk, and go with their app",
        arguments: TestStoreBackend.allCases
    )
    func forget(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.append(StoreFixtures.chunk(1..<2, of: "old"))
            try await store.append(StoreFixtures.chunk(1..<2, of: "older"))
            try await store.append(StoreFixtures.chunk(1..<2, of: "young"))
            try await store.append(StoreFixtures.chunk(2..<3, of: "young", at: 9))
            let time = StoreFixtures.after(5)
            let first = try await store.removeStreams(before: time, limit: 1)
            #expect(first == PrunedItems(count: 1, hasMore: true), "removed first")
            let second = try await store.removeStreams(before: time, limit: 5)
            #expect(second == PrunedItems(count: 1), "removed then")
            let removedLast = try await store.removeStreams(before: time, limit: 5)
            #expect(removedLast == PrunedItems(), "removed last")
            let acceptedLines = try await store.acceptedLines(of: "old", app: StoreFixtures.app)
            #expect(acceptedLines == 0, "an old stream")
            let chunks = try await store.chunks(of: "old", app: StoreFixtures.app, after: 0, limit: 10)
            #expect(chunks == [], "an old stream's chunks")
            let youngStream = try await store.acceptedLines(of: "young", app: StoreFixtures.app)
            #expect(youngStream == 2, "a young stream")
            try await store.deleteApp(StoreFixtures.app)
            try await store.addSampleApp()
            let goneAppStream = try await store.acceptedLines(of: "young", app: StoreFixtures.app)
            #expect(goneAppStream == 0, "a gone app's stream")
        }
    }

    @Test(
        "of long streams a bounded part is forgotten at once, and one that goes on meanwhile is kept",
        arguments: TestStoreBackend.allCases
    )
    func forgetInParts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for line in 1...450 { try await store.append(StoreFixtures.chunk(line..<line + 1, of: "long")) }
            for line in 1...250 { try await store.append(StoreFixtures.chunk(line..<line + 1, of: "on", at: 1)) }
            let time = StoreFixtures.after(5)
            var steps: [PrunedItems] = []
            for (long, on) in [(250, 250), (50, 250), (0, 100)] {
                let accepted = try await store.acceptedLines(of: "long", app: StoreFixtures.app)
                #expect(accepted == 450, "the lines of the stream that goes")
                steps.append(try await store.removeStreams(before: time, limit: 10))
                let chunkCount = try await store.chunkCount(of: "long")
                #expect(chunkCount == long, "what is left of the stream that goes")
                let chunkCountOfOther = try await store.chunkCount(of: "on")
                #expect(chunkCountOfOther == on, "what is left of the other one")
            }
            #expect(steps.map(\.count) == [0, 0, 1], "how many were forgotten by each call")
            #expect(steps.map(\.hasMore) == [true, true, true], "whether there was more")
            let gone = try await store.acceptedLines(of: "long", app: StoreFixtures.app)
            #expect(gone == 0, "the lines of the stream that is gone")
            try await store.append(StoreFixtures.chunk(251..<252, of: "on", at: 9))
            let removed = try await store.removeStreams(before: time, limit: 10)
            #expect(removed == PrunedItems(), "removed then")
            let chunkCountThen = try await store.chunkCount(of: "on")
            #expect(chunkCountThen == 101, "the chunks of the one that goes on")
            let acceptedLines = try await store.acceptedLines(of: "on", app: StoreFixtures.app)
            #expect(acceptedLines == 251, "its lines")
        }
    }
}

extension StreamStore {
    /// How many chunks a stream has.
    fileprivate func chunkCount(of stream: StreamID) async throws -> Int {
        try await self.chunks(of: stream, app: StoreFixtures.app, after: 0, limit: 1000).count
    }
}

extension StoreFixtures {
    static func chunk(
        _ lines: Range<Int>,
        _ notification: NotificationID? = nil,
        of stream: StreamID = "s",
        app: AppID = StoreFixtures.app,
        at seconds: Double = 0
    ) -> StreamChunk {
        var list = StreamLineList()
        for line in lines { list.append(.init(name: ArraySlice("\(line)".utf8), fate: .empty)) }
        return StreamChunk(
            stream: stream,
            app: app,
            lines: lines,
            notification: notification,
            entries: list.encoded,
            createdAt: self.after(seconds)
        )
    }
}
