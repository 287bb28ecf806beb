// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushStore
import SQLStore
import Synchronization
import Testing

@Suite struct CallGroupTests {
    /// A transaction that waits until it is told to continue, and records the items that it was given.
    private final class Transactions: Sendable {
        let groups = Mutex<[[Int]]>([])
        let (begins, begin) = AsyncStream.makeStream(of: Int.self)
        private let (ends, end) = AsyncStream.makeStream(of: Void.self)

        func finishOne() { self.end.yield() }

        func run(_ items: [Int], isFirst: Bool) async {
            let count = self.groups.withLock { groups in
                groups.append(items)
                return groups.count
            }
            self.begin.yield(count)
            if isFirst { for await _ in self.ends { break } }
        }
    }

    private struct Faulty: Error {}

    /// Calls with 0 to `count`: the first begins a transaction, and the others arrive while it is in progress.
    private func results(
        _ count: Int,
        in group: CallGroup<Int, Int>,
        _ transactions: Transactions,
        _ change: @escaping @Sendable ([Int]) throws -> [Int]
    ) async -> [Int: Result<Int, any Error>] {
        await withTaskGroup(of: (Int, Result<Int, any Error>).self) { tasks in
            @Sendable func call(_ item: Int) async -> (Int, Result<Int, any Error>) {
                do {
                    let value = try await group.run(item) { items, _ in
                        await transactions.run(items, isFirst: items == [0])
                        return try change(items)
                    }
                    return (item, .success(value))
                } catch {
                    return (item, .failure(error))
                }
            }
            tasks.addTask { await call(0) }
            for await _ in transactions.begins { break }
            for item in 1...count { tasks.addTask { await call(item) } }
            try? await waitUntil { group.waitingCount == count }
            transactions.finishOne()
            return await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `calls that arrive during a transaction share the next one`() async throws {
        let transactions = Transactions()
        let results = await self.results(20, in: CallGroup(), transactions) { $0.map { $0 * 2 } }
        for item in 0...20 { #expect(try results[item]?.get() == item * 2) }
        let groups = transactions.groups.withLock { $0 }
        #expect(groups.map(\.count) == [1, 20])
        #expect(Set(groups[1]) == Set(1...20))
    }

    @Test func `a group has no more calls than its limit`() async throws {
        let transactions = Transactions()
        let results = await self.results(20, in: CallGroup(limit: 8), transactions) { $0 }
        for item in 0...20 { #expect(try results[item]?.get() == item) }
        #expect(transactions.groups.withLock { $0.map(\.count) } == [1, 8, 8, 4])
    }

    @Test func `a call that fails does not fail those that share its transaction`() async throws {
        let transactions = Transactions()
        let results = await self.results(5, in: CallGroup(), transactions) { items in
            if items.contains(3) { throw Faulty() }
            return items
        }
        for item in [0, 1, 2, 4, 5] { #expect(try results[item]?.get() == item) }
        #expect(throws: Faulty.self) { try results[3]?.get() }
    }

    @Test func `a call that meets a lock passes the lead on before it waits for the lock`() async throws {
        let group = CallGroup<Int, Int>()
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        async let waiting = group.run(0) { items, waitsBriefly in
            if waitsBriefly { throw StoreError(code: .locked, message: "another transaction has the row") }
            begin.yield()
            for await _ in ends { break }
            return items
        }
        for await _ in begins { break }
        #expect(try await group.run(1) { items, _ in items } == 1)
        end.yield()
        #expect(try await waiting == 0)
    }

    @Test func `an unavailable store is asked once for all calls of a group`() async throws {
        let transactions = Transactions()
        let results = await self.results(5, in: CallGroup(), transactions) { items in
            if items != [0] { throw StoreError(code: .unavailable, message: "the connection broke") }
            return items
        }
        #expect(try results[0]?.get() == 0)
        for item in 1...5 { #expect(throws: StoreError.self) { try results[item]?.get() } }
        #expect(transactions.groups.withLock { $0.map(\.count) } == [1, 5])
    }

    @Test func `a cancelled call does not fail those that share its transaction`() async throws {
        let transactions = Transactions()
        let results = await self.results(5, in: CallGroup(), transactions) { items in
            if items.count > 1 { throw CancellationError() }
            return items
        }
        for item in 0...5 { #expect(try results[item]?.get() == item) }
    }
}
