// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
package import PushStore

/// What a store makes of events of endpoints on a bad day, as a list of checks that its tests run.
///
/// What was done to the database is said in SQL, which the tests bring into the form of their store: `@table` stands for a table.
package struct EndpointEventCheck: Sendable, CustomStringConvertible {
    /// Runs a statement beside the store.
    package typealias Damage = @Sendable (String) async throws -> Void

    package let description: String

    private let body: @Sendable (any PushStore, Damage) async throws -> Void

    private init(_ name: String, _ body: @escaping @Sendable (any PushStore, Damage) async throws -> Void) {
        self.description = name
        self.body = body
    }

    /// Runs the check on an empty store that nobody else uses.
    package func run(on store: any PushStore, damage: @escaping Damage) async throws {
        try await store.addSampleApp()
        try await store.putApplication(
            PlatformSamples.application(
                "all",
                attributes: ["EventEndpointCreated": "arn:aws:sns:eu-west-1:000000000000:events"]
            ),
            credential: PlatformSamples.credential("credential")
        )
        try await self.body(store, damage)
    }

    /// All checks.
    package static let all = [
        EndpointEventCheck("one that cannot be read is set aside, holds up no other, and is removed in the end") {
            store,
            damage in
            for (name, token) in [("a", 1), ("b", 2), ("c", 3)] {
                _ = try await store.addEndpoint(
                    try PlatformSamples.endpoint(InstallationID(unchecked: name), token: token),
                    now: StoreSamples.now
                )
            }
            try await damage("UPDATE @endpoint_events SET kind = 'EventNobodyKnows' WHERE installation = 'a'")
            try await damage("UPDATE @endpoint_events SET installation = '' WHERE installation = 'b'")
            let claim = try await store.claimAll(after: 1)
            try expectEqual(claim.events.map(\.installation), ["c"], "what can be published")
            try expectEqual(claim.damaged.count, 2, "how many are set aside")
            try await store.removeEndpointEvent(claim.events[0].number, worker: StoreSamples.worker)
            try expectEqual(try await store.claimAll(after: 3600), EndpointEventClaim(), "what is found an hour later")
            let month = 31.0 * 24 * 3600
            try await damage("UPDATE @endpoint_events SET kind = 'EventEndpointCreated' WHERE kind LIKE '%Knows'")
            try expectEqual(try await store.claimAll(after: month), EndpointEventClaim(), "what a month later finds")
            try expectEqual(try await store.claimAll(after: 2 * month), EndpointEventClaim(), "what is left of them")
        },
        EndpointEventCheck("those for which there is no room are counted, and gaps between numbers take no room") {
            store,
            damage in
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
                    try PlatformSamples.endpoint(InstallationID(unchecked: "device-\(token)"), token: token),
                    now: StoreSamples.now
                )
            }
            let claim = try await store.claimAll(after: 1)
            try expectEqual(claim.events.map(\.installation), ["device-1", "device-2"], "what is kept")
            try expectEqual(claim.dropped, 1, "how many are dropped")
            try expectEqual(try await store.claimAll(after: 2), EndpointEventClaim(), "what is told again")
            try await damage("DELETE FROM @endpoint_events WHERE installation = 'filler'")
            _ = try await store.addEndpoint(try PlatformSamples.endpoint("device-4", token: 4), now: StoreSamples.now)
            let last = try await store.claimAll(after: 3)
            try expectEqual(last.events.map(\.installation), ["device-4"], "what is kept when there is room")
            try expectEqual(last.dropped, 0, "how many are dropped then")
        },
    ]
}

extension EndpointEventStore {
    fileprivate func claimAll(after seconds: Double) async throws -> EndpointEventClaim {
        try await self.claimEndpointEvents(
            limit: 100,
            worker: StoreSamples.worker,
            leaseDuration: .seconds(60),
            now: StoreSamples.after(seconds)
        )
    }
}
