// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: corrupt endpoint events", .timeLimit(.minutes(20)))
struct CorruptEndpointEventTests {
    @Test(
        "one that cannot be read is set aside, holds up no other, and is removed in the end",
        arguments: TestStoreBackend.allCases
    )
    func unreadable(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addApplication()
            for (name, token) in [("a", 1), ("b", 2), ("c", 3)] {
                _ = try await store.addEndpoint(
                    try PlatformFixtures.endpoint(DeviceID(unchecked: name), token: token),
                    now: StoreFixtures.now
                )
            }
            try await damage("UPDATE @endpoint_events SET kind = 'EventNobodyKnows' WHERE installation = 'a'")
            try await damage("UPDATE @endpoint_events SET installation = '' WHERE installation = 'b'")
            let claim = try await store.claimAll(after: 1)
            try #require(claim.events.map(\.installation) == ["c"], "what can be published")
            #expect(claim.damaged.count == 2, "how many are set aside")
            try await store.removeEndpointEvent(claim.events[0].number, worker: StoreFixtures.worker)
            let anHourLater = try await store.claimAll(after: 3600)
            #expect(anHourLater == EndpointEventClaim(), "what is found an hour later")
            let month = 31.0 * 24 * 3600
            try await damage("UPDATE @endpoint_events SET kind = 'EventEndpointCreated' WHERE kind LIKE '%Knows'")
            let aMonthLater = try await store.claimAll(after: month)
            #expect(aMonthLater == EndpointEventClaim(), "what a month later finds")
            let remaining = try await store.claimAll(after: 2 * month)
            #expect(remaining == EndpointEventClaim(), "what is left of them")
        }
    }

    @Test(
        "those for which there is no room are counted, and gaps between numbers take no room",
        arguments: TestStoreBackend.allCases
    )
    func full(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addApplication()
            for token in 1...3 {
                if token == 2 {
                    try await damage(
                        """
                        INSERT INTO @endpoint_events (app, platform, name, installation, kind, topic, time, due_at)
                        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(
                            StoredEndpointEvent.maximumCount - 2
                        ))
                        SELECT app, platform, name, 'filler', kind, topic, time, 9000000000000
                        FROM @endpoint_events CROSS JOIN numbers
                        """
                    )
                }
                _ = try await store.addEndpoint(
                    try PlatformFixtures.endpoint(DeviceID(unchecked: "device-\(token)"), token: token),
                    now: StoreFixtures.now
                )
            }
            let claim = try await store.claimAll(after: 1)
            #expect(claim.events.map(\.installation) == ["device-1", "device-2"], "what is kept")
            #expect(claim.dropped == 1, "how many are dropped")
            let toldAgain = try await store.claimAll(after: 2)
            #expect(toldAgain == EndpointEventClaim(), "what is told again")
            try await damage("DELETE FROM @endpoint_events WHERE installation = 'filler'")
            _ = try await store.addEndpoint(try PlatformFixtures.endpoint("device-4", token: 4), now: StoreFixtures.now)
            let last = try await store.claimAll(after: 3)
            #expect(last.events.map(\.installation) == ["device-4"], "what is kept when there is room")
            #expect(last.dropped == 0, "how many are dropped then")
        }
    }
}

extension EndpointEventStore {
    fileprivate func claimAll(after seconds: Double) async throws -> EndpointEventClaim {
        try await self.claimEndpointEvents(
            limit: 100,
            worker: StoreFixtures.worker,
            leaseDuration: .seconds(60),
            now: StoreFixtures.after(seconds)
        )
    }
}

extension AppStore where Self: BatchStore & PlatformStore {
    /// Adds the sample app, and an application that asks for the events of its endpoints.
    fileprivate func addApplication() async throws {
        try await self.addSampleApp()
        try await self.putApplication(
            PlatformFixtures.application(
                "all",
                attributes: ["EventEndpointCreated": "arn:aws:sns:eu-west-1:000000000000:events"]
            ),
            credential: PlatformFixtures.credential("credential")
        )
    }
}
