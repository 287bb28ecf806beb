// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import APNsClient
package import PushModel
package import PushStore
package import Work

/// The limits, delays and endpoints of delivery.
package struct DeliveryConfiguration: Sendable {
    /// The lease holder's name of this process; unique among all processes that share a store.
    ///
    /// Default: a new one at every start, so that a restarted process is another worker.
    package var worker: WorkerID

    /// The APNs endpoint of each environment.
    ///
    /// Default: Apple's servers on port 443, also for an environment that is missing here.
    package var endpoints: [APNsEnvironment: APNsEndpoint]

    /// The most batches of the urgent lane that are sent at the same time.
    ///
    /// Range: 1...500. Default: 64, of which batches of one kind take half. Twice as many more can probe circuits that
    /// have not served a push yet.
    package var urgentBatches = 64

    /// The most batches of the bulk lane that are sent at the same time.
    ///
    /// Range: 1...500. Default: 8, of which batches of one kind take half. Twice as many more can probe circuits that
    /// have not served a push yet.
    package var bulkBatches = 8

    /// The in-flight window: the most targets that this process has sent, or passed to the client, and not settled.
    ///
    /// A crash sends at most this many targets twice, whatever the number of batches.
    ///
    /// Range: 1 or more. Default: 8,000, of which one campaign takes 5,000. That is enough for 100,000 targets per
    /// second if sending and settling a chunk takes 50 ms. A longer round trip needs a larger window.
    package var window = 8000

    /// The most bulk targets per second while this process has urgent work, and for 200 ms after it.
    ///
    /// Range: 1 or more; `nil` is no limit. Default: 50,000, with which a million takes 20 seconds.
    package var bulkBesideUrgent: Int? = 50_000

    /// The most targets of a chunk.
    ///
    /// Range: 1...10,000. Default: 1,000.
    package var sliceTargets = 1000

    /// The lease duration of a batch; while the batch is sent, its lease is extended three times within it.
    ///
    /// Default: 1 minute. The batches of a killed worker are claimed again after at most that long.
    package var leaseDuration: Duration = .seconds(60)

    /// The interval of polls for batches without a signal: expired leases, and batches that other processes accept.
    ///
    /// Default: 1 second. Batches accepted in this process are claimed at once.
    package var pollInterval: Duration = .seconds(1)

    /// The interval of polls for stop requests to the bulk batches that are being sent.
    ///
    /// Default: 500 ms. Stop requests in this process take effect at once.
    package var haltInterval: Duration = .milliseconds(500)

    /// The timeout of one attempt to send a chunk.
    ///
    /// Default: 1 minute. It is also the time after which APNs counts as unreachable.
    package var sendDeadline: Duration = .seconds(60)

    /// The most attempts at a target without a response, or with one that allows a retry.
    ///
    /// Range: 1...65,535. Default: 3. A target that was never sent has no attempt. A response that asks for a delay
    /// (5xx, 429) is no attempt either: such a target is retried until the batch expires.
    package var maximumAttempts = 3

    /// The longest delay after 5xx and 429; the delay doubles up to it.
    ///
    /// Default: 1 hour. A longer delay that APNs asks for is honored.
    package var maximumDelay: Duration = .seconds(3600)

    /// The most permanent errors of the store that the settlement of a batch can meet before the batch fails.
    ///
    /// Range: 1 or more. Default: 3. Because of such errors, an unsettled target is sent to at most this many times.
    package var maximumSetbacks = 3

    /// The delay between attempts, and before the retry of a settlement after a transient error of the store.
    ///
    /// Default: half a second to 10 seconds.
    package var retryBackoff = ExponentialBackoff(minimum: .milliseconds(500), maximum: .seconds(10))

    /// The delay before a credential that APNs rejected is probed again; another credential is used at once.
    ///
    /// Default: 10 seconds to 5 minutes. The targets stay queued until the batch expires.
    package var refusalBackoff = ExponentialBackoff(minimum: .seconds(10), maximum: .seconds(300))

    /// The length of the window in which overload responses are counted.
    ///
    /// Default: 10 seconds.
    package var stormWindow: Duration = .seconds(10)

    /// The minimum number of 5xx responses, and of tokens with 429, within ``stormWindow`` that open a circuit.
    ///
    /// Range: 1 or more. Default: 50.
    package var stormCount = 50

    /// The minimum share of overload responses, within ``stormWindow`` and of a probe, that opens a circuit.
    ///
    /// Range: 0...1. Default: one half.
    package var stormShare = 0.5

    /// The delay before a probe after overload responses.
    ///
    /// Default: 5 seconds to 2 minutes.
    package var stormBackoff = ExponentialBackoff(minimum: .seconds(5), maximum: .seconds(120))

    /// The delay before a probe while APNs is unreachable, and before a batch is claimed again after a permanent error.
    ///
    /// Default: 1 second to 30 seconds.
    package var outageBackoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(30))

    /// The age at which a batch without an expiration fails its remaining targets as `expired`.
    ///
    /// Default: 24 hours.
    package var maximumAge: Duration = .seconds(24 * 3600)

    /// The time for which a credential is cached.
    ///
    /// Default: 10 seconds. A removed credential can be used that long.
    package var credentialLifetime: Duration = .seconds(10)

    /// The only directory that credentials in files are read from.
    ///
    /// Default: none, so credentials in files are unusable.
    package var credentialDirectory = CredentialDirectory.none

    /// Creates a configuration with the documented defaults.
    package init(
        worker: WorkerID = .unique(),
        endpoints: [APNsEnvironment: APNsEndpoint] = [:]
    ) {
        self.worker = worker
        self.endpoints = endpoints
    }

    /// Returns the most batches of a lane that are sent at the same time.
    func batches(in lane: Lane) -> Int {
        switch lane {
        case .urgent: min(max(1, self.urgentBatches), 500)
        case .bulk: min(max(1, self.bulkBatches), 500)
        }
    }
}
