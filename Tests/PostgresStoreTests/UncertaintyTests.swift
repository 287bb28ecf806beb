// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

/// A commit is done and its answer never comes: the server waits with it for a standby that there is not, and the
/// connection is cut meanwhile.
@Suite("Answers to commits that are lost", .serialized, .timeLimit(.minutes(20)))
struct UncertaintyTests {
    @Test("what was accepted is known to be stored")
    func accepted() async throws {
        try await Self.withStore { store, intruder in
            let plan = try StoreFixtures.plan(targets: 3)
            try await intruder.losingAnswer { try await store.accept(plan) }
            #expect(try await store.notification(plan.notification.id)?.notification == plan.notification)
            let campaign = try CampaignFixtures.campaign()
            try await intruder.losingAnswer { try await store.createCampaign(campaign) }
            #expect(try await store.campaign(campaign.id) != nil)
        }
    }

    @Test("what was claimed is in the hands of the worker")
    func claimed() async throws {
        try await Self.withStore { store, intruder in
            let plan = try StoreFixtures.plan(targets: 3)
            try await store.accept(plan)
            let claimed = try await intruder.losingAnswer { try await store.claim() }
            #expect(claimed.map(\.batch) == plan.batches)
            let settlement = Settlement(of: try #require(claimed.first), range: 0..<3, failures: [])
            #expect(try await store.settle(settlement, now: StoreFixtures.now).notificationSettled)
        }
    }

    @Test("what was handed over is delivered by the process that accepted it")
    func handedOver() async throws {
        try await Self.withStore { store, intruder in
            try await store.addLesson()
            let taker = RecordingTaker()
            store.beginHandOver(to: taker)
            let plan = try StoreFixtures.plan(targets: 3)
            try await intruder.losingAnswer { try await store.accept(plan) }
            let receipt = try await intruder.losingAnswer {
                try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            }
            let notifications = taker.seen.taken.map(\.batch.notification)
            #expect(notifications == [plan.notification.id, try #require(receipt.notification)])
            #expect(taker.seen.forgone.isEmpty)
            #expect(try await store.claim(limit: 1000).isEmpty)
        }
    }

    @Test("what nobody can say is told as such, and nothing is stored twice")
    func settled() async throws {
        try await Self.withStore { store, intruder in
            try await store.accept(StoreFixtures.plan(targets: 3))
            let claimed = try #require(try await store.claim().first)
            let settlement = Settlement(of: claimed, range: 0..<3, failures: [])
            let error = try await intruder.losingAnswer {
                try await storeError { try await store.settle(settlement, now: StoreFixtures.now) }
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("may or may not be stored") == true)
            let receipt = try await store.settle(settlement, now: StoreFixtures.now)
            #expect(receipt.batchSettled)
            let status = try await store.notification(claimed.batch.notification)
            #expect(status?.counts == OutcomeCounts(delivered: 3))
        }
    }

    // Other systems cannot limit the files of a process that runs.
    #if os(Linux)
    @Test("a server that stops during a commit leaves it unknown, and the change is made once")
    func panic() async throws {
        try await Self.withServer { store, server, database in
            try await store.accept(StoreFixtures.plan(targets: 3))
            let claimed = try #require(try await store.claim().first)
            let settlement = Settlement(of: claimed, range: 0..<3, failures: [])
            // The commit cannot be written to the log any more: the server ends the session with PANIC.
            let offset = try await database.execute(
                "SELECT file_offset FROM pg_walfile_name_offset(pg_current_wal_lsn())"
            )
            try await server.limitFiles(to: Int(try #require(offset.first)))
            let error = try await storeError { try await store.settle(settlement, now: StoreFixtures.now) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("may or may not be stored") == true, "\(String(describing: error))")
            // It may just be ending by itself.
            while (try? await server.restart()) == nil { try Task.checkCancellation() }
            while try await storeError({ try await store.settle(settlement, now: StoreFixtures.now) })?.code
                == .unavailable
            {}
            let status = try await store.notification(claimed.batch.notification)
            #expect(status?.counts == OutcomeCounts(delivered: 3))
        }
    }
    #endif

    private static func withStore(_ body: (PostgresStore, Intruder) async throws -> Void) async throws {
        try await self.withServer { store, _, database in try await body(store, Intruder(database: database)) }
    }

    private static func withServer(
        _ body: (PostgresStore, TestPostgresServer, TestPostgresDatabase) async throws -> Void
    ) async throws {
        try await TestPostgresServer.withServer { server in
            try await TestPostgresDatabase.withDatabase(on: server) { database in
                try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
                    try await store.addSampleApp()
                    try await body(store, server, database)
                }
            }
        }
    }
}

/// Cuts connections whose commit is done and not answered.
private struct Intruder {
    let database: TestPostgresDatabase

    /// Runs a call whose next commit is not answered.
    func losingAnswer<Value: Sendable>(_ call: @Sendable () async throws -> Value) async throws -> Value {
        try await self.database.execute("CREATE TABLE IF NOT EXISTS public.probes (number integer)")
        try await self.database.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await self.database.execute("SELECT pg_reload_conf()")
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // It takes a while until commits wait; from then on these do.
            group.addTask {
                while !Task.isCancelled {
                    try await self.database.execute("INSERT INTO public.probes VALUES (1)")
                }
            }
            try await self.untilOne("pid", application: "")
            async let value = call()
            try await self.untilOne("pg_terminate_backend(pid)", application: "apus")
            group.cancelAll()
            try await self.database.execute("ALTER SYSTEM RESET synchronous_standby_names")
            try await self.database.execute("SELECT pg_reload_conf()")
            try await group.waitForAll()
            return try await value
        }
    }

    /// Asks for something of the connections of a program whose commits wait, until there is one.
    private func untilOne(_ expression: String, application: String) async throws {
        var found: [String] = []
        while found.isEmpty {
            found = try await self.database.execute(
                """
                SELECT \(expression) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = '\(application)' AND wait_event = 'SyncRep'
                """
            )
        }
    }
}
