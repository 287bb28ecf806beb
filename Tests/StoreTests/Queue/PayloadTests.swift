// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: payloads", .timeLimit(.minutes(5)))
struct PayloadTests {
    @Test(
        "each target's own payload is claimed byte for byte, also after a lease lapsed",
        arguments: StoreInTest.allCases
    )
    func ownPayloads(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.distinctPlan(targets: 300)
            try await store.accept(plan)
            let first = try #require(try await store.claim().first, "the batch")
            #expect(first.batch == plan.batches[0], "the batch")
            let second = try #require(try await store.claim(now: StoreSamples.after(61)).first, "the batch")
            try #require(second.batch.payload == plan.batches[0].payload, "the payloads")
            #expect(second.batch.payload[299].text == #"{"n":299}"#, "the last payload")
        }
    }

    @Test("batches of one notification may have different headers, lanes and ends", arguments: StoreInTest.allCases)
    func differentBatches(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let parts = try [PushType.alert, .background].map { pushType in
                NotificationPlan.Part(
                    lane: pushType == .alert ? .urgent : .bulk,
                    headers: NotificationHeaders(topic: try Topic(StoreSamples.app.rawValue), pushType: pushType),
                    payload: .shared(try APNsPayload(json: "{}")),
                    targets: [try StoreSamples.target(1)],
                    expiresAt: pushType == .alert ? StoreSamples.after(9) : nil
                )
            }
            let plan = NotificationPlan(app: StoreSamples.app, parts: parts, now: StoreSamples.now)
            try await store.accept(plan)
            let batches = try await store.claim(.urgent).map(\.batch)
            #expect(batches == [plan.batches[0]], "the urgent batch")
            let otherBatch = try await store.claim(.bulk).map(\.batch)
            #expect(otherBatch == [plan.batches[1]], "the other batch")
        }
    }

    @Test("a batch with fewer payloads than targets is refused", arguments: StoreInTest.allCases)
    func tooFew(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let part = NotificationPlan.Part(
                lane: .urgent,
                headers: NotificationHeaders(topic: try Topic(StoreSamples.app.rawValue)),
                payload: .distinct(PayloadList([try APNsPayload(json: "{}")])),
                targets: [try StoreSamples.target(1), try StoreSamples.target(2)]
            )
            let plan = NotificationPlan(app: StoreSamples.app, parts: [part], now: StoreSamples.now)
            try await expectError(.invalid, "one payload for two") { try await store.accept(plan) }
        }
    }
}

extension StoreSamples {
    /// A request in which each target has a payload of its own.
    static func distinctPlan(targets: Int) throws -> NotificationPlan {
        let part = NotificationPlan.Part(
            lane: .urgent,
            headers: NotificationHeaders(topic: try Topic(self.app.rawValue)),
            payload: .distinct(PayloadList(try (0..<targets).map { try APNsPayload(json: #"{"n":\#($0)}"#) })),
            targets: TargetList(try (0..<targets).map { try self.target($0) })
        )
        return NotificationPlan(app: self.app, parts: [part], now: self.now)
    }
}
