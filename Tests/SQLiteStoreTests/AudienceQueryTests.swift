// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushModel
import PushStore
import SQLite
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("Questions about an audience", .timeLimit(.minutes(5)))
struct AudienceQueryTests {
    private static let named = Audience.users(["anna", "ben"])

    @Test(
        "look up the devices of users that are named, and scan one app's devices otherwise",
        arguments: [
            (named, true), (.and([.platform(.iOS), named]), true), (.and([.and([named]), .all]), true), (.all, false),
            (.not(named), false), (.or([named, .platform(.iOS)]), false), (.and([.not(named)]), false),
        ]
    )
    func index(audience: Audience, usesIndex: Bool) async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            let range = AudienceRange(after: 3, through: 900, zones: .except(["UTC"]))
            let query = AudienceQuery(audience, app: 1, in: range)
            let questions = [
                (query.count, query.arguments), (query.timeZones, query.arguments),
                (query.members(.all), query.arguments + [10]),
            ]
            for (sql, arguments) in questions {
                let plan = try await store.read { database in
                    try database.rows("EXPLAIN QUERY PLAN \(sql)", arguments).map { try $0.string("detail") }
                }
                let expected =
                    usesIndex
                    ? "SEARCH devices USING INDEX devices_by_user (app=? AND user_id=?"
                    : "SEARCH devices USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
                #expect(plan.contains { $0.hasPrefix(expected) }, "\(sql): \(plan)")
                #expect(!plan.contains { $0.hasPrefix("SCAN devices") }, "\(sql): \(plan)")
            }
        }
    }
}
