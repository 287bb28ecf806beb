// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("Workers on PostgreSQL", .timeLimit(.minutes(20)))
struct WorkerSessionTests {
    private static let worker: WorkerID = "host/1/a"
    private static let other: WorkerID = "host/2/b"

    /// Runs a test with a store whose worker is registered.
    private static func withWorker(
        _ body: (PostgresStore, TestPostgresDatabase) async throws -> Void
    ) async throws {
        try await withTemporaryStore { store, database in
            let lock = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await store.run() }
                    group.addTask { try await store.hold(Self.worker) }
                    try await group.waitForAll()
                }
            }
            defer { lock.cancel() }
            while try await database.execute("SELECT number FROM apus.workers").isEmpty {}
            try await body(store, database)
        }
    }

    /// Adds a row as a terminated worker leaves it.
    private static func leaveWorker(in database: TestPostgresDatabase, startedAt: String) async throws {
        try await database.execute(
            "INSERT INTO apus.workers (worker, number, server_started_at) VALUES ('\(Self.other)', 4711, \(startedAt))"
        )
    }

    /// Ends the session of the worker, and waits until it is registered again.
    private static func cutSession(in database: TestPostgresDatabase) async throws {
        let query = "SELECT number FROM apus.workers WHERE worker = '\(Self.worker)'"
        let number = try await database.execute(query)
        try await database.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_locks
            WHERE locktype = 'advisory' AND classid = 'apus.workers'::regclass AND objid = \(number[0])
            """
        )
        while try await database.execute(query) == number {}
    }

    @Test("a worker whose session is cut registers again under another number, and is not terminated")
    func cutSession() async throws {
        try await Self.withWorker { store, database in
            try await Self.cutSession(in: database)
            let locks = try await store.workerLocks(includingEarlierStarts: true)
            #expect(locks.map(\.worker) == [Self.worker])
            #expect(locks.map(\.isFree) == [false])
        }
    }

    @Test("a worker whose session is cut does not check others at first, whose sessions may have been cut too")
    func cutSessions() async throws {
        try await Self.withWorker { store, database in
            try await Self.leaveWorker(in: database, startedAt: WorkerSession.serverStart)
            while try await store.terminatedWorkers() != [Self.other] {}
            try await Self.cutSession(in: database)
            #expect(try await store.terminatedWorkers() == [])
        }
    }

    @Test("a worker that registered before the server started is checked only if that is asked for")
    func earlierStart() async throws {
        try await Self.withWorker { store, database in
            try await Self.leaveWorker(in: database, startedAt: "1")
            let current = try await store.workerLocks(includingEarlierStarts: false)
            #expect(current.map(\.worker) == [Self.worker])
            let all = try await store.workerLocks(includingEarlierStarts: true)
            // The own session may have been cut on a slow machine.
            #expect(all.first { $0.worker == Self.other }?.isFree == true)
        }
    }

    @Test("a claim that commits after its process has terminated loses its lease too, for a minute")
    func lateClaim() async throws {
        try await Self.withWorker { store, database in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan())
            try await Self.leaveWorker(in: database, startedAt: WorkerSession.serverStart)
            while try await store.terminatedWorkers() != [Self.other] {}
            #expect(try await store.expireLeases(of: Self.other, now: StoreFixtures.now) == [:])
            _ = try await store.claim(by: Self.other)
            #expect(try await store.expireLeases(of: Self.other, now: StoreFixtures.now) == [.batch: 1])
            #expect(try await store.claim(by: Self.worker).count == 1)

            try await database.execute("UPDATE apus.workers SET terminated_at = terminated_at - 60000")
            #expect(try await store.expireLeases(of: Self.other, now: StoreFixtures.now) == [:])
            #expect(try await database.execute("SELECT worker FROM apus.workers") == [Self.worker.rawValue])
        }
    }

    @Test("three registrations in a row whose locks are free mean that locks are unreliable")
    func unreliable() async throws {
        try await withTemporaryStore { _, database in
            let connection = try PostgresConnection.inTest(database.url)
            let worker = WorkerSession()
            worker.hold(Self.worker)
            func register() throws -> WorkerSession.Registration {
                connection.deadline = .now + .seconds(60)
                try worker.register(on: connection, logger: .silent)
                return try #require(try worker.registration())
            }
            for _ in 0..<2 { worker.lost(try register(), isFailure: true) }
            // A lock that is held shows that locks are reliable.
            worker.confirm(try register())
            for _ in 0..<3 { worker.lost(try register(), isFailure: true) }
            #expect(throws: UnreliableLocksError.self) { try worker.registration() }
        }
    }

    @Test("a failure to register that can pass is no sign that locks are unreliable")
    func passingFailure() async throws {
        try await withTemporaryStore { _, database in
            let connection = try PostgresConnection.inTest(database.url)
            let worker = WorkerSession()
            worker.hold(Self.worker)
            func register() throws -> WorkerSession.Registration? {
                connection.deadline = .now + .seconds(60)
                try worker.register(on: connection, logger: .silent)
                return try worker.registration()
            }
            _ = try connection.rows(text: "SET default_transaction_read_only = on")
            for _ in 0..<5 {
                let registration = try register()
                #expect(registration == nil)
            }
            _ = try connection.rows(text: "SET default_transaction_read_only = off")
            let first = try #require(try register())
            #expect(!first.isRepeated)
            worker.sessionEnded()
            let second = try #require(try register())
            #expect(second.isRepeated)
        }
    }

    @Test("a lost session is no sign that locks are unreliable")
    func lostSession() throws {
        let worker = WorkerSession()
        worker.hold(Self.worker)
        for _ in 0..<10 { worker.sessionEnded() }
        #expect(try worker.registration() == nil)
    }
}
