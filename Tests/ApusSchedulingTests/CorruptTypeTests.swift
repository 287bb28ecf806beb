// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@testable import ApusScheduling

@Suite("A job in Swift on activities whose type is corrupt", .timeLimit(.minutes(20)))
struct CorruptTypeTests {
    @Test("goes on: what needs no content state is changed, the rest is passed over, and the log names the type")
    func damaged() async throws {
        let logs = LogRecorder()
        try await TestPostgresDatabase.withStoreDatabase { database in
            try await withPostgresStore(configuration: .inTest(database.url), logger: logs.logger) { store in
                try await store.addLesson()
                _ = try await store.keep(ActivityFixtures.registered(#"{"type":"object"}"#))
                try await database.execute(#"UPDATE apus.activity_types SET content_state = '\x5b'"#)
                let now = StoreFixtures.now
                let run = JobRun(id: JobRunID(now: now), trigger: .manual, dueAt: now, claimableAt: now)
                let client = JobClient(
                    app: StoreFixtures.app,
                    run: run,
                    store: store,
                    now: { now },
                    logger: logs.logger
                )
                let patch = JobActivities(
                    attributesType: ActivityFixtures.type,
                    change: try ActivityFixtures.patch(#"{"n":1}"#)
                )
                #expect(try await client.changeActivities(patch) == 0)
                // The store reports the row as well.
                let named = logs.lines.filter {
                    $0.contains("corrupt activity type") && !$0.contains("Skipped corrupt rows")
                }
                #expect(named.count == 1)
                #expect(named.first?.contains(ActivityFixtures.type.rawValue) == true)
                let end = JobActivities(
                    attributesType: ActivityFixtures.type,
                    change: ActivityChange(end: .standard)
                )
                #expect(try await client.changeActivities(end) == 1)
                let lesson = try await store.activity(ActivityFixtures.lesson, of: StoreFixtures.app)
                #expect(lesson?.lifecycle.state == .ended)
                // Registered anew, the type is whole.
                try await store.addLesson("lesson 2", phones: [])
                _ = try await store.keep(ActivityFixtures.registered(#"{"type":"object"}"#))
                #expect(try await client.changeActivities(patch) == 1)
            }
        }
    }
}
