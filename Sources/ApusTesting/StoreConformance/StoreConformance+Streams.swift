// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let streams = [
        Check("a stream is gone on with where its chunks end, those of which nothing is sent among them") { store in
            try await store.addSampleApp()
            try expectEqual(try await store.acceptedLines(of: "s", app: StoreSamples.app), 0, "an unknown stream")
            let plan = try StoreSamples.plan()
            let chunks = [
                StoreSamples.chunk(1..<4, plan.notification.id), StoreSamples.chunk(4..<5),
                StoreSamples.chunk(5..<3000),
            ]
            try await store.accept(plan.notification, batches: plan.batches, noting: .chunk(chunks[0]))
            for chunk in chunks[1...] { try await store.append(chunk) }
            try expectEqual(try await store.acceptedLines(of: "s", app: StoreSamples.app), 2999, "the lines")
            let all = try await store.chunks(of: "s", app: StoreSamples.app, after: 0, limit: 10)
            try expectEqual(all, chunks, "the chunks")
            let some = try await store.chunks(of: "s", app: StoreSamples.app, after: 3, limit: 1)
            try expectEqual(some, [chunks[1]], "the chunk after line 3")
            let middle = try await store.chunks(of: "s", app: StoreSamples.app, after: 100, limit: 10)
            try expectEqual(middle, [chunks[2]], "the chunk around line 100")
        },
        Check("a chunk that does not begin where its stream ends stores nothing, also of what it would send") { store in
            try await store.addSampleApp()
            try await store.append(StoreSamples.chunk(1..<4))
            for lines in [1..<4, 3..<5, 5..<6, 1..<2, 4..<4] {
                let plan = try StoreSamples.plan()
                try await expectError(.conflict, "lines \(lines) after line 3") {
                    let chunk = StoreSamples.chunk(lines, plan.notification.id)
                    try await store.accept(plan.notification, batches: plan.batches, noting: .chunk(chunk))
                }
                try expectEqual(try await store.notification(plan.notification.id), nil, "the notification")
            }
            try await expectError(.conflict, "lines 5 to 6") { try await store.append(StoreSamples.chunk(5..<7)) }
            try expectEqual(try await store.acceptedLines(of: "s", app: StoreSamples.app), 3, "the lines")
            try expectEqual(try await store.claim().count, 0, "how many batches there are")
        },
        Check("streams of the same name of two apps have nothing to do with one another") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.append(StoreSamples.chunk(1..<4))
            try expectEqual(try await store.acceptedLines(of: "s", app: StoreSamples.otherApp), 0, "the other's lines")
            let chunks = try await store.chunks(of: "s", app: StoreSamples.otherApp, after: 0, limit: 10)
            try expectEqual(chunks, [], "the other's chunks")
            try await expectError(.notFound, "no app") {
                try await store.append(StoreSamples.chunk(1..<2, app: "com.example.none"))
            }
        },
        Check("streams are forgotten by the age of their last chunk, and go with their app") { store in
            try await store.addSampleApp()
            try await store.append(StoreSamples.chunk(1..<2, of: "old"))
            try await store.append(StoreSamples.chunk(1..<2, of: "older"))
            try await store.append(StoreSamples.chunk(1..<2, of: "young"))
            try await store.append(StoreSamples.chunk(2..<3, of: "young", at: 9))
            let time = StoreSamples.after(5)
            try expectEqual(try await store.removeStreams(before: time, limit: 1), 1, "removed first")
            try expectEqual(try await store.removeStreams(before: time, limit: 5), 1, "removed then")
            try expectEqual(try await store.acceptedLines(of: "old", app: StoreSamples.app), 0, "an old stream")
            let chunks = try await store.chunks(of: "old", app: StoreSamples.app, after: 0, limit: 10)
            try expectEqual(chunks, [], "an old stream's chunks")
            try expectEqual(try await store.acceptedLines(of: "young", app: StoreSamples.app), 2, "a young stream")
            try await store.deleteApp(StoreSamples.app)
            try await store.addSampleApp()
            try expectEqual(try await store.acceptedLines(of: "young", app: StoreSamples.app), 0, "a gone app's stream")
        },
    ]
}

extension StoreSamples {
    static func chunk(
        _ lines: Range<Int>,
        _ notification: NotificationID? = nil,
        of stream: StreamID = "s",
        app: AppID = StoreSamples.app,
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
