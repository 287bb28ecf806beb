// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import APNsClient
package import PushModel
package import PushStore
package import Work

/// The limits, delays and endpoints of delivery.
package struct DeliveryConfiguration: Sendable {
    /// The lease holder's name of this process, a new one at every start; unique among all that share a store.
    package var worker: WorkerID

    /// The APNs endpoint of each environment; for one that is missing here, Apple's server on port 443.
    package var endpoints: [APNsEnvironment: APNsEndpoint]

    /// The most batches of the urgent lane that are sent at the same time, 1...500.
    ///
    /// Batches of one kind take half. Twice as many more can probe circuits that have not served a push yet.
    package var urgentBatches = 64

    /// The same for the bulk lane.
    package var bulkBatches = 8

    /// The in-flight window: the most targets that this process has sent, or passed to the client, and not settled.
    ///
    /// A crash sends at most this many targets twice, regardless of the number of batches. Range: 1 or more. One
    /// campaign takes 5,000 of 8,000: enough for 100,000 targets per second if sending and settling a chunk takes 50
    /// ms.
    package var maxInFlight = 8000

    /// The most bulk targets per second while this process has urgent work, and for 200 ms after it.
    ///
    /// Range: 1 or more; `nil` is no limit. With 280,000, a million takes 3.6 seconds.
    package var bulkRateLimit: Int? = 280_000

    /// The most targets of a chunk, 1...10,000.
    package var chunkSize = 1000

    /// The most targets of an urgent batch that can be sent directly, see ``DirectSend``; 0 sends none directly.
    ///
    /// At most those of a chunk, and a tenth of the window.
    package var directTargets = 100

    /// The lease duration of a batch; while the batch is sent, its lease is extended three times within it.
    package var leaseDuration: Duration = .seconds(60)

    /// The interval of polls for batches without a signal: expired leases, and batches that other processes accept.
    package var pollInterval: Duration = .seconds(1)

    /// The interval of polls for stop requests of other processes to the bulk batches that are being sent.
    package var haltInterval: Duration = .milliseconds(500)

    /// The timeout of one attempt to send a chunk, and the time after which APNs counts as unreachable.
    package var sendDeadline: Duration = .seconds(60)

    /// The most attempts at a target without a response, or with one that allows a retry.
    ///
    /// Range: 1...65,535. A target that was never sent has no attempt. A response that asks for a delay (5xx, 429) is
    /// no attempt either: such a target is retried until the batch expires.
    package var maximumAttempts = 3

    /// The longest delay after 5xx and 429, up to which it doubles; a longer one that APNs asks for is honored.
    package var maximumDelay: Duration = .seconds(3600)

    /// The most permanent errors of the store that the settlement of a batch can meet before the batch fails.
    ///
    /// Range: 1 or more. Because of such errors, an unsettled target is sent to at most this many times.
    package var maximumSetbacks = 3

    /// The delay between attempts to send a target.
    package var retryBackoff = ExponentialBackoff(minimum: .milliseconds(500), maximum: .seconds(10))

    /// The delay before a settlement is retried after a transient error of the store: short, because all targets that
    /// wait for it are in the in-flight window.
    package var settlementBackoff = ExponentialBackoff(minimum: .milliseconds(500), maximum: .seconds(2))

    /// When circuits open, and for how long.
    package var breaker = CircuitBreakerConfiguration()

    /// The age at which a batch without an expiration fails its remaining targets as `expired`.
    package var maximumAge: Duration = .seconds(24 * 3600)

    /// The time for which a credential is cached; a removed one can be used that long.
    package var credentialLifetime: Duration = .seconds(10)

    /// The only directory that credentials in files are read from.
    package var credentialDirectory = CredentialDirectory(nil)

    package init(worker: WorkerID = .unique(), endpoints: [APNsEnvironment: APNsEndpoint] = [:]) {
        self.worker = worker
        self.endpoints = endpoints
    }

    func batches(in lane: Lane) -> Int { min(max(1, lane == .urgent ? self.urgentBatches : self.bulkBatches), 500) }

    /// The limits of the batches that can be sent directly.
    ///
    /// The window limits their targets. Batches of one kind take half.
    func smallBatches(in lane: Lane) -> LaneState.SmallLimits {
        guard lane == .urgent, self.directTargets > 0 else { return LaneState.SmallLimits() }
        let size = max(1, min(self.directTargets, self.chunkSize, self.maxInFlight / 10))
        return LaneState.SmallLimits(size: size, batches: 1000, targets: max(size, self.maxInFlight))
    }
}
