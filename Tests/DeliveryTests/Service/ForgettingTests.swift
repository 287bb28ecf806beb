// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ApusTesting
import Foundation
import NIOPosix
import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Telemetry
import Testing

@testable import Delivery

@Suite("Setbacks are forgotten", .timeLimit(.minutes(20)))
struct ForgettingTests {
    @Test("when the batch is settled")
    func settled() async throws {
        try await DeliveryStage.open { stage in
            let (claimed, service) = try await stage.claimWithSetback()
            await BatchProcessor(claimed: claimed, context: service).run()
            #expect(try stage.results(as: "completed") == 1)
            #expect(service.setbacks.batchCount == 0)
        }
    }

    @Test("when another worker has the batch")
    func leaseLost() async throws {
        try await DeliveryStage.open { stage in
            let (claimed, service) = try await stage.claimWithSetback()
            let later = stage.now.date.addingTimeInterval(61)
            _ = try await stage.claim(.urgent, by: "other", now: later)
            await BatchProcessor(claimed: claimed, context: service).run()
            #expect(try stage.results(as: "lease_lost") == 1)
            #expect(service.setbacks.batchCount == 0)
        }
    }

    @Test("not when it is set back once more")
    func setBack() async throws {
        try await DeliveryStage.open { stage in
            let (claimed, service) = try await stage.claimWithSetback()
            stage.observed.failSettling([StoreError(code: .corrupt, message: "the store will not have it")])
            await BatchProcessor(claimed: claimed, context: service).run()
            #expect(try stage.results(as: "retried") == 1)
            #expect(service.setbacks.count(of: claimed.batch.id) == 2)
        }
    }
}

extension DeliveryStage {
    /// Claims a batch that has had a setback, and whose target fails at once for want of a credential.
    fileprivate func claimWithSetback() async throws -> (ClaimedBatch, DeliveryService) {
        let target = Target(token: try DeviceToken(hex: "00ff"), environment: .sandbox)
        try await self.accept(try self.plan([target]))
        let claimed = try await self.claim(.urgent, by: self.configuration.worker)
        let service = DeliveryService(
            store: self.observed,
            client: APNsClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent),
            masterKey: nil,
            configuration: self.configuration,
            clock: self.clock,
            now: { [now] in now.date },
            metrics: self.metrics,
            logger: .silent
        )
        _ = service.setbacks.add(claimed.batch.id)
        return (claimed, service)
    }

    /// The number of batches with this result.
    fileprivate func results(as result: String) throws -> Double? {
        try PrometheusText(self.metrics.text()).value("apus_delivery_batches_total", ["result": result])
    }
}
