// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: payloads", .timeLimit(.minutes(20)))
struct PayloadTests {
    @Test(
        "each target's own payload is claimed byte for byte, also after a lease lapsed",
        arguments: TestStoreBackend.allCases
    )
    func ownPayloads(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.distinctPlan(targets: 300)
            try await store.accept(plan)
            let first = try #require(try await store.claim().first, "the batch")
            #expect(first.batch == plan.batches[0], "the batch")
            let second = try #require(try await store.claim(now: StoreFixtures.after(61)).first, "the batch")
            try #require(second.batch.payload == plan.batches[0].payload, "the payloads")
            #expect(second.batch.payload[299].text == #"{"n":299}"#, "the last payload")
        }
    }

    @Test(
        "batches of one notification may have different headers, lanes and ends",
        arguments: TestStoreBackend.allCases
    )
    func differentBatches(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let parts = try [PushType.alert, .background].map { pushType in
                BatchedNotification.Part(
                    lane: pushType == .alert ? .urgent : .bulk,
                    headers: NotificationHeaders(topic: try Topic(StoreFixtures.app.rawValue), pushType: pushType),
                    payload: .shared(try APNsPayload(json: "{}")),
                    targets: [try StoreFixtures.target(1)],
                    expiresAt: pushType == .alert ? StoreFixtures.after(9) : nil
                )
            }
            let plan = BatchedNotification(app: StoreFixtures.app, parts: parts, now: StoreFixtures.now)
            try await store.accept(plan)
            let batches = try await store.claim(.urgent).map(\.batch)
            #expect(batches == [plan.batches[0]], "the urgent batch")
            let otherBatch = try await store.claim(.bulk).map(\.batch)
            #expect(otherBatch == [plan.batches[1]], "the other batch")
        }
    }

    @Test("a batch with fewer payloads than targets is refused", arguments: TestStoreBackend.allCases)
    func tooFew(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let part = BatchedNotification.Part(
                lane: .urgent,
                headers: NotificationHeaders(topic: try Topic(StoreFixtures.app.rawValue)),
                payload: .distinct(PayloadList([try APNsPayload(json: "{}")])),
                targets: [try StoreFixtures.target(1), try StoreFixtures.target(2)]
            )
            let plan = BatchedNotification(app: StoreFixtures.app, parts: [part], now: StoreFixtures.now)
            try await expectError(.invalid, "one payload for two") { try await store.accept(plan) }
        }
    }
}

extension StoreFixtures {
    /// A request in which each target has a payload of its own.
    static func distinctPlan(targets: Int) throws -> BatchedNotification {
        let part = BatchedNotification.Part(
            lane: .urgent,
            headers: NotificationHeaders(topic: try Topic(self.app.rawValue)),
            payload: .distinct(PayloadList(try (0..<targets).map { try APNsPayload(json: #"{"n":\#($0)}"#) })),
            targets: TargetList(try (0..<targets).map { try self.target($0) })
        )
        return BatchedNotification(app: self.app, parts: [part], now: self.now)
    }
}
