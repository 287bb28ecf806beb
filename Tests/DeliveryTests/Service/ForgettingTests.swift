// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ApusTesting
import Foundation
import Metrics
import NIOPosix
import PushModel
import PushStore
import SQLiteStore
import Testing

@testable import Delivery

@Suite("Setbacks are forgotten", .timeLimit(.minutes(5)))
struct ForgettingTests {
    @Test("when the batch is settled")
    func settled() async throws {
        try await DeliveryStage.open { stage in
            let (claimed, context) = try await stage.claimWithSetback()
            #expect(await BatchRun(claimed: claimed, context: context).send() == .settled)
            #expect(context.setbacks.batchCount == 0)
        }
    }

    @Test("when another worker has the batch")
    func leaseLost() async throws {
        try await DeliveryStage.open { stage in
            let (claimed, context) = try await stage.claimWithSetback()
            let later = stage.now.date.addingTimeInterval(61)
            _ = try await stage.claim(.urgent, by: "other", now: later)
            #expect(await BatchRun(claimed: claimed, context: context).send() == .leaseLost)
            #expect(context.setbacks.batchCount == 0)
        }
    }

    @Test("not when it is set back once more")
    func setBack() async throws {
        try await DeliveryStage.open { stage in
            let (claimed, context) = try await stage.claimWithSetback()
            stage.observed.failSettling([StoreError(code: .corrupt, message: "the store will not have it")])
            #expect(await BatchRun(claimed: claimed, context: context).send() == .setBack)
            #expect(context.setbacks.count(of: claimed.batch.id) == 2)
        }
    }
}

extension DeliveryStage {
    /// Claims a batch that has had a setback, and whose target fails at once for want of a credential.
    fileprivate func claimWithSetback() async throws -> (ClaimedBatch, DeliveryContext) {
        let target = Target(token: try DeviceToken(hex: "00ff"), environment: .sandbox)
        try await self.accept(try self.plan([target]))
        let claimed = try await self.claim(.urgent, by: self.configuration.worker)
        let context = DeliveryContext(
            store: self.observed,
            client: APNsClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent),
            configuration: self.configuration,
            resolver: DestinationResolver(credentials: self.store, masterKey: nil, logger: .silent),
            clock: self.clock,
            now: { [now] in now.date },
            logger: .silent,
            announcements: Announcements(),
            metrics: DeliveryMetrics(NOOPMetricsHandler.instance)
        )
        _ = context.setbacks.add(claimed.batch.id)
        return (claimed, context)
    }
}
