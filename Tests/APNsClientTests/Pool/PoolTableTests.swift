// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("The pools of a client")
struct PoolTableTests {
    private static func pool(_ port: Int) throws -> ConnectionPool {
        let endpoint = APNsEndpoint(host: "127.0.0.1", port: port)
        return try .sample(to: APNsDestination(endpoint: endpoint, credential: PuppetAuthority().certificate()))
    }

    /// Adds a pool.
    ///
    /// Answers the pool whose place it took, none, or `nil` when there was no room.
    private static func add(_ pool: ConnectionPool, to table: inout PoolTable) -> [ObjectIdentifier]? {
        switch table.add(pool) {
        case .added(let replaced): replaced.map { [ObjectIdentifier($0)] } ?? []
        case .full: nil
        }
    }

    @Test("a destination keeps its pool, and each has its own")
    func lookup() throws {
        var table = PoolTable(maximum: 3)
        let pools = try [Self.pool(1), Self.pool(2)]
        #expect(table.use(pools[0].destination, .urgent) === nil)
        for pool in pools { #expect(Self.add(pool, to: &table) == []) }
        for pool in pools { #expect(table.use(pool.destination, .urgent) === pool) }
        #expect(table.all.count == 2)
    }

    @Test("each lane has a pool of its own to a destination")
    func lanes() throws {
        var table = PoolTable(maximum: 3)
        let urgent = try Self.pool(1)
        _ = Self.add(urgent, to: &table)
        #expect(table.use(urgent.destination, .bulk) === nil)
        let bulk = try ConnectionPool.sample(to: urgent.destination, lane: .bulk)
        _ = Self.add(bulk, to: &table)
        #expect(table.use(bulk.destination, .bulk) === bulk)
        #expect(table.use(urgent.destination, .urgent) === urgent)
    }

    @Test("a pool is taken out once it has been idle for so long, and not while it is used")
    func idle() throws {
        var table = PoolTable(maximum: 3)
        let pool = try Self.pool(1)
        _ = table.add(pool)
        let farFuture = NIODeadline.now() + .hours(9)
        #expect(table.removeIdle(for: .seconds(1), now: farFuture).isEmpty)
        #expect(table.use(pool.destination, .urgent) === pool)
        pool.endUse()
        #expect(table.removeIdle(for: .seconds(1), now: farFuture).isEmpty)
        pool.endUse()
        #expect(table.removeIdle(for: .hours(10), now: farFuture).isEmpty)
        #expect(table.removeIdle(for: .hours(1), now: farFuture).map { $0 === pool } == [true])
        #expect(table.use(pool.destination, .urgent) === nil)
    }

    @Test("one beyond the maximum takes the place of the one that was idle for longest, or of none")
    func bound() throws {
        var table = PoolTable(maximum: 2)
        let pools = try (1...4).map { try Self.pool($0) }
        #expect(Self.add(pools[0], to: &table) == [])
        #expect(Self.add(pools[1], to: &table) == [])
        #expect(Self.add(pools[2], to: &table) == nil)
        pools[1].endUse()
        pools[0].endUse()
        #expect(Self.add(pools[2], to: &table) == [ObjectIdentifier(pools[1])])
        #expect(Self.add(pools[3], to: &table) == [ObjectIdentifier(pools[0])])
        #expect(table.all.count == 2)
    }
}
