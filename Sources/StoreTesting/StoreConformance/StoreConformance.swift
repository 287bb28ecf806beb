// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// What every store has to do, as a list of checks that a store's tests run one by one.
///
/// In a store's tests:
///
///     @Test("SQLite keeps the promises of a store", arguments: StoreConformance.checks)
///     func conformance(_ check: StoreConformance.Check) async throws {
///         try await check.run(on: freshStore())
///     }
public enum StoreConformance {
    /// One promise and how it is checked.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, in words.
        public let name: String

        private let body: @Sendable (any PushStore) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any PushStore) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Runs the check.
        ///
        /// - Parameter store: an empty store that nobody else uses.
        /// - Throws: ``ConformanceFailure`` when the promise is not kept, or what the store throws.
        public func run(on store: any PushStore) async throws {
            try await self.body(store)
        }

        /// The promise.
        public var description: String { self.name }
    }

    /// All checks.
    public static let checks: [Check] =
        apps + credentials + keys + registration + lateRegistration + deviceLists + deviceStates + accepting + payloads
        + idempotency
        + streams + claiming + leases + settling + deferring + ending + outcomes + deadLetters + signals + health
        + halting + audiences + campaigns + planning + steering + pausing + deliveryPauses + screenings + events
        + eventContents + campaignEvents
        + eventRetention + retention + webhooks + activities + activityPhones + activityDepartures + activityAnswers
        + activityBudgets
        + activityOrder
        + activityStarts + rollouts + rolloutLeases
        + activityTypes + channels + broadcast + transitions + preparedTransitions + jobs + jobRuns + jobPolicies
        + topics + subscriptions + publications + topicDeliveries + platforms + endpointEvents
        + endpointFailures
}
