// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import APNsClient
package import PushModel
package import PushStore

/// How much is sent at once, how long is waited, and where to.
package struct DeliveryConfiguration: Sendable {
    /// The name under which this process leases batches; unique among all that share a store.
    ///
    /// Default: a new one for every process start, so that a restarted process is another worker.
    package var worker: WorkerID

    /// Where the pushes of an environment go.
    ///
    /// Default: Apple's servers on port 443, also for an environment that is missing here.
    package var endpoints: [APNsEnvironment: APNsEndpoint]

    /// How many batches of the urgent lane are sent at once.
    ///
    /// Range: 1...500. Default: 64, of which batches of one kind take half. Twice as many more may be trying
    /// destinations that have not answered yet.
    package var urgentBatches = 64

    /// How many batches of the bulk lane are sent at once.
    ///
    /// Range: 1...500. Default: 8, of which batches of one kind take half. Twice as many more may be trying
    /// destinations that have not answered yet.
    package var bulkBatches = 8

    /// How many targets this process may have sent, or handed to the client, and not settled: the most that is sent
    /// twice after a crash, whatever the number of batches.
    ///
    /// Range: 1 or more. Default: 8,000, of which one campaign takes 5,000: enough for 100,000 a second as long as
    /// sending and settling a slice takes 50 ms. What is not answered and settled sooner needs a larger window.
    package var window = 8000

    /// How many targets of the bulk lane this process sends to in a second while it has urgent work, and for a fifth of a
    /// second after that.
    ///
    /// Range: 1 or more; `nil` holds bulk work back by nothing. Default: 50,000, with which a million takes 20 seconds.
    package var bulkBesideUrgent: Int? = 50_000

    /// How many targets of a batch are sent, and settled, together.
    ///
    /// Range: 1...10,000. Default: 1,000.
    package var sliceTargets = 1000

    /// How long a batch is leased; it is extended three times within that while the batch is sent.
    ///
    /// Default: 1 minute. What a killed worker had is taken over after at most that long.
    package var leaseDuration: Duration = .seconds(60)

    /// How often the store is asked for batches that no signal told of: lapsed leases, and what other processes accept.
    ///
    /// Default: 1 second. What is accepted in this process is claimed at once.
    package var pollInterval: Duration = .seconds(1)

    /// How often the store is asked whether bulk batches that are being sent were paused or called off.
    ///
    /// Default: 500 ms. What this process halts is heard of at once.
    package var haltInterval: Duration = .milliseconds(500)

    /// How long one attempt to send a slice may take before its unanswered targets have failed.
    ///
    /// Default: 1 minute. It is also how long APNs is called in vain before it counts as unreachable.
    package var sendDeadline: Duration = .seconds(60)

    /// How often a target is tried that had no answer, or one that asks for another attempt, before that is its outcome.
    ///
    /// Range: 1...65,535. Default: 3. What was never sent is no attempt, and neither is one after which APNs asks for a
    /// delay (5xx, 429): that is tried until the batch expires.
    package var maximumAttempts = 3

    /// How long is waited at most where APNs asks for a delay: its delay doubles up to this.
    ///
    /// Default: 1 hour. A longer delay that APNs asks for is kept to.
    package var maximumDelay: Duration = .seconds(3600)

    /// How often the store may refuse what was sent of a batch, where repeating does not help, before the batch fails.
    ///
    /// Range: 1 or more. Default: 3. It is how often its unsettled targets may be sent to because of that.
    package var maximumSetbacks = 3

    /// How long is waited between these attempts, and before a settlement is repeated that the store could not take.
    ///
    /// Default: half a second to 10 seconds.
    package var retryBackoff = RetryBackoff(minimum: .milliseconds(500), maximum: .seconds(10))

    /// How long is waited before a credential is tried again that APNs refuses; another credential is tried at once.
    ///
    /// Default: 10 seconds to 5 minutes. What waits for it is kept until the batch expires.
    package var refusalBackoff = RetryBackoff(minimum: .seconds(10), maximum: .seconds(300))

    /// For how long answers count together when a storm is looked for.
    ///
    /// Default: 10 seconds.
    package var stormWindow: Duration = .seconds(10)

    /// How many answers with 5xx, or with 429 to as many tokens, within ``stormWindow`` make a storm, at least.
    ///
    /// Range: 1 or more. Default: 50.
    package var stormCount = 50

    /// Which share of all answers within ``stormWindow``, and of those to a probe, they have to be.
    ///
    /// Range: 0...1. Default: one half.
    package var stormShare = 0.5

    /// How long is waited in a storm before a small slice is sent to find out whether it is over.
    ///
    /// Default: 5 seconds to 2 minutes.
    package var stormBackoff = RetryBackoff(minimum: .seconds(5), maximum: .seconds(120))

    /// How long is waited before APNs is tried again after it could not be reached, and a batch after a setback.
    ///
    /// Default: 1 second to 30 seconds.
    package var outageBackoff = RetryBackoff(minimum: .seconds(1), maximum: .seconds(30))

    /// How old a batch may get that names no end of its own; its remaining targets fail as expired then.
    ///
    /// Default: 24 hours.
    package var maximumAge: Duration = .seconds(24 * 3600)

    /// How long a credential that was read is used before the store is asked again.
    ///
    /// Default: 10 seconds. That is how long a removed credential may still be used.
    package var credentialLifetime: Duration = .seconds(10)

    /// The only directory that credentials in files are read from.
    ///
    /// Default: none, so credentials in files are unusable.
    package var credentialDirectory = CredentialDirectory.none

    /// The documented defaults.
    package init(
        worker: WorkerID = .unique(),
        endpoints: [APNsEnvironment: APNsEndpoint] = [:]
    ) {
        self.worker = worker
        self.endpoints = endpoints
    }

    /// How many batches of a lane are sent at once.
    func batches(in lane: Lane) -> Int {
        switch lane {
        case .urgent: min(max(1, self.urgentBatches), 500)
        case .bulk: min(max(1, self.bulkBatches), 500)
        }
    }
}
