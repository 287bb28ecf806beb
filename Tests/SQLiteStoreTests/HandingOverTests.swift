// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Dispatch
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("Handing over batches", .timeLimit(.minutes(5)))
struct HandingOverTests {
    @Test("a lease begins when the transaction has its turn, however long it waited for that")
    func late() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let taker = RecordingTaker()
            store.beginHandOver(to: taker)
            let plan = try StoreSamples.plan()
            let turn = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    // Another change, which takes long.
                    try await store.writes.run { _, _ in
                        begin.yield()
                        turn.wait()
                    }
                }
                for await _ in begun { break }
                group.addTask { try await store.accept(plan) }
                for await _ in taker.offers { break }
                taker.now.advance(by: .seconds(50))
                turn.signal()
                try await group.waitForAll()
            }
            #expect(taker.seen.taken.map(\.leasedUntil) == [StoreSamples.after(110)])
            #expect(try await store.claim(now: StoreSamples.after(109)).isEmpty)
            #expect(try await store.claim(now: StoreSamples.after(110)).map(\.batch) == plan.batches)
        }
    }
}
