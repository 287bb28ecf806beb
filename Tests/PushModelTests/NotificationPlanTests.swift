// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Notification plans")
struct NotificationPlanTests {
    private func plan(targets count: Int) throws -> BatchedNotification {
        let token = try DeviceToken(bytes: [1, 2, 3])
        var targets = Array(repeating: Target(token: token, environment: .sandbox), count: count)
        for index in targets.indices {
            targets[index].token = try DeviceToken(bytes: [UInt8(index & 0xFF), UInt8(index >> 8 & 0xFF), 7])
        }
        return try BatchedNotification(
            app: "com.example.app",
            lane: .bulk,
            headers: NotificationHeaders(topic: Topic("com.example.app")),
            payload: APNsPayload(json: "{}"),
            targets: targets,
            expiresAt: Date(timeIntervalSince1970: 99),
            now: Date(timeIntervalSince1970: 7)
        )
    }

    @Test(
        "targets are split into full batches and a rest",
        arguments: [(1, [1]), (10_000, [10_000]), (10_001, [10_000, 1]), (25_000, [10_000, 10_000, 5_000])]
    )
    func split(count: Int, sizes: [Int]) throws {
        let plan = try self.plan(targets: count)
        #expect(plan.batches.map(\.targets.count) == sizes)
        #expect(plan.notification.targetCount == count)
        #expect(plan.notification.batchCount == sizes.count)
        #expect(plan.batches.map(\.ordinal) == Array(sizes.indices))
        #expect(plan.batches.map(\.id) == plan.batches.map(\.id).sorted())
        #expect(Set(plan.batches.map(\.id)).count == sizes.count)
        let joined = plan.batches.flatMap(\.targets)
        #expect(joined.count == count)
        #expect(joined.last?.token.bytes == [UInt8((count - 1) & 0xFF), UInt8((count - 1) >> 8 & 0xFF), 7])
    }

    @Test("every batch carries what was planned")
    func contents() throws {
        let plan = try self.plan(targets: 10_001)
        for batch in plan.batches {
            #expect(batch.notification == plan.notification.id)
            #expect(batch.app == "com.example.app")
            #expect(batch.lane == .bulk)
            #expect(batch.createdAt == Date(timeIntervalSince1970: 7))
            #expect(batch.expiresAt == Date(timeIntervalSince1970: 99))
        }
    }

    @Test("a request has 1 to 100,000 targets", arguments: [0, 100_001])
    func limits(count: Int) {
        let failure = #expect(throws: InvalidValueError.self) { try self.plan(targets: count) }
        #expect(failure?.field == "targets")
        #expect(failure?.value == "\(count)")
    }
}
