// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import Scheduling
import Synchronization
import Testing

@Suite("A campaign that cannot be planned", .timeLimit(.minutes(5)))
struct FailingPlannerTests {
    @Test("fails with a reason after some attempts, and holds up no other", arguments: StoreInTest.allCases)
    func fails(on store: StoreInTest) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.maximumSetbacks = 3
            try await stage.register(0..<10)
            let bad = try stage.campaign(audience: .topic("unreadable"))
            let good = try stage.campaign()
            let store = UnreadableStore(stage.store, audience: bad.audience)
            try await stage.store.createCampaign(bad)
            try await stage.store.createCampaign(good)
            let changes = stage.store.changes()
            try await stage.plan(on: store) { [stage] in
                _ = try await stage.deliver(good, changes)
                while try await !stage.status(of: bad).lifecycle.state.isFinal {
                    await stage.clock.sleepers(atLeast: 1)
                    stage.now.advance(by: .seconds(10))
                    stage.clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            #expect(try await stage.status(of: good).lifecycle.state == .finished)
            guard case .failed(let reason) = try await stage.status(of: bad).lifecycle.state else {
                Issue.record("it did not fail")
                return
            }
            #expect(reason.contains("damaged page"))
            // More where a lease lapsed meanwhile: such an attempt is not counted.
            #expect(store.attempts >= 3)
        }
    }
}

/// A store that cannot read one audience.
private final class UnreadableStore: ForwardingStore {
    let base: any PushStore
    private let audience: Audience
    private let count = Mutex(0)

    var attempts: Int { self.count.withLock { $0 } }

    init(_ base: any PushStore, audience: Audience) {
        self.base = base
        self.audience = audience
    }

    func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        guard audience != self.audience else {
            self.count.withLock { $0 += 1 }
            throw StoreError(code: .corrupt, message: "damaged page")
        }
        return try await self.base.members(of: audience, app: app, in: range, limit: limit, depth: depth)
    }
}
