// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

/// How much is posted to receivers at once, how long is waited, and what is not connected to.
package struct WebhookConfiguration: Hashable, Sendable {
    /// The name under which this process leases webhooks; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    package var worker: WorkerID

    /// How many webhooks are posted to at once.
    ///
    /// Range: 1...1000. Default: 32. One that does not answer holds its place for at most the ``deadline``.
    package var concurrency = 32

    /// How many events one request holds at most.
    ///
    /// Range: 1...1000. Default: 100.
    package var maximumEvents = 100

    /// How many requests are made for a webhook before others get their turn.
    ///
    /// Range: 1 or more. Default: 20.
    package var requestsPerTurn = 20

    /// How long a receiver has to answer a request altogether: name, connection, handshake and answer.
    ///
    /// Default: 10 seconds.
    package var deadline: Duration = .seconds(10)

    /// How long a webhook is leased; every request extends it.
    ///
    /// Default: 1 minute; it has to be longer than the ``deadline``.
    package var leaseDuration: Duration = .seconds(60)

    /// How often the store is asked for webhooks of which no signal told: events of other processes, lapsed leases, and
    /// receivers whose waiting is over.
    ///
    /// Default: 1 second.
    package var pollInterval: Duration = .seconds(1)

    /// How long is waited after failures in a row.
    ///
    /// Default: 5 seconds, doubling up to 1 hour.
    package var backoff = WebhookBackoff()

    /// After how long without a success a webhook is disabled.
    ///
    /// Default: 3 days.
    package var disableAfter: Duration = .seconds(3 * 24 * 3600)

    /// Whether receivers may be on private networks, this machine among them.
    ///
    /// Default: `false`, so that whoever may create webhooks cannot reach what only this server can.
    package var allowsPrivateNetworks = false

    /// How many bytes of an answer's body are read.
    ///
    /// Default: 4 KiB. Nothing depends on what it says.
    package var maximumAnswerBytes = 4096

    /// The documented defaults.
    package init(worker: WorkerID = .unique()) {
        self.worker = worker
    }
}

/// How long to wait after a receiver failed: doubling, bounded, and never the same for two who wait.
package struct WebhookBackoff: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    ///
    /// Default: 5 seconds.
    package var minimum: Duration

    /// The longest wait, before jitter.
    ///
    /// Default: 1 hour.
    package var maximum: Duration

    package init(minimum: Duration = .seconds(5), maximum: Duration = .seconds(3600)) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// How long to wait now.
    ///
    /// `failures` is the number of failures in a row, from 1.
    /// - Returns: the minimum doubled with each failure beyond the first, at most the maximum, and up to a quarter more.
    package func delay(after failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        let full = min(self.maximum, self.minimum * (1 << doublings))
        return full * Double.random(in: 1...1.25, using: &generator)
    }
}
