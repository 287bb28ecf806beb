// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

extension StatementTests {
    static func retention(_ store: any SQLOperations, beside other: any PushStore & SQLBacked) async throws {
        let later = StoreFixtures.after(3600)
        for chunk in [StoreFixtures.chunk(1..<4), StoreFixtures.chunk(4..<5)] { try await store.append(chunk) }
        #expect(try await store.pruneChunks(before: later) == 1)
        let rule = DeviceRetention(inactiveSince: later, invalidSince: later)
        let registration = try StoreFixtures.registration("old", token: 99)
        _ = try await store.register(registration, now: StoreFixtures.now)
        #expect(try await store.pruneDevices(rule, after: nil).count > 0)
        #expect(try await store.keep(ActivityFixtures.startToken(98, token: 98)))
        #expect(try await store.pruneStartTokens(issuedBefore: later, after: nil).count > 0)
        let plan = try StoreFixtures.plan()
        try await other.accept(plan)
        #expect(try await other.cancel(plan.notification.id, now: StoreFixtures.now) == 1)
        // Others have settled too.
        #expect(try await store.pruneNotifications(settledBefore: later, limit: 10_000).notifications > 0)
        #expect(try await store.notification(plan.notification.id) == nil)
    }
}
