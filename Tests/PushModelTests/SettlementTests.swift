// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Settlements")
struct SettlementTests {
    private func claimed(targets count: Int) throws -> ClaimedBatch {
        let now = Date(timeIntervalSince1970: 1000)
        let plan = try BatchedNotification(
            app: "com.example.app",
            lane: .urgent,
            headers: NotificationHeaders(topic: Topic("com.example.app")),
            payload: APNsPayload(json: "{}"),
            targets: (0..<count).map { Target(token: try DeviceToken(bytes: [UInt8($0)]), environment: .sandbox) },
            now: now
        )
        return ClaimedBatch(batch: plan.batches[0], cursor: 0, worker: "worker", leasedUntil: now)
    }

    @Test("what to prune and what to suspect follows from the reasons")
    func derive() throws {
        let claimed = try self.claimed(targets: 5)
        let failures: [Settlement.Failure] = [
            .init(index: 0, outcome: .rejected(Rejection(.unregistered, inactiveSince: 123))),
            .init(index: 1, outcome: .rejected(Rejection(.expiredToken))),
            .init(index: 2, outcome: .rejected(Rejection(.badDeviceToken))),
            .init(index: 3, outcome: .rejected(Rejection(.tooManyRequests))),
            .init(index: 4, outcome: .failed(.timeout)),
        ]
        let settlement = Settlement(of: claimed, range: 0..<5, failures: failures)
        let targets = claimed.batch.targets
        #expect(
            settlement.prunes == [
                .init(target: targets[0], reason: .unregistered, inactiveSince: 123),
                .init(target: targets[1], reason: .expiredToken, inactiveSince: 1_000_000),
            ]
        )
        #expect(settlement.suspects == [.init(target: targets[2], reason: .badDeviceToken)])
        #expect(settlement.batch == claimed.batch.id)
        #expect(settlement.worker == "worker")
    }

    @Test("what is not a failure was delivered")
    func counts() throws {
        let failures: [Settlement.Failure] = [
            .init(index: 2, outcome: .rejected(Rejection(.badDeviceToken))),
            .init(index: 4, outcome: .rejected(Rejection(.badDeviceToken))),
            .init(index: 5, outcome: .failed(.connectionLost)),
        ]
        let settlement = Settlement(of: try self.claimed(targets: 9), range: 2..<9, failures: failures)
        let expected = OutcomeCounts(delivered: 4, rejected: [.badDeviceToken: 2], failed: [.connectionLost: 1])
        #expect(settlement.counts == expected)
        #expect(settlement.counts.total == 7)
    }

    @Test("counts are added kind by kind")
    func sum() {
        var counts = OutcomeCounts(delivered: 1, rejected: [.badTopic: 2])
        counts += OutcomeCounts(delivered: 3, rejected: [.badTopic: 1, .badPath: 1], failed: [.expired: 4])
        counts.add(.delivered, count: 0)
        counts.add(.failed(.cancelled), count: 0)
        counts.add(.failed(.timeout))
        let expected = OutcomeCounts(
            delivered: 4,
            rejected: [.badTopic: 3, .badPath: 1],
            failed: [.expired: 4, .timeout: 1]
        )
        #expect(counts == expected)
        #expect(counts.totalRejected == 4)
        #expect(counts.totalFailed == 5)
    }
}
