// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import Work

/// The limits, timeouts and network rules for requests to webhooks.
package struct WebhookConfiguration: Hashable, Sendable {
    /// The lease holder's name of this process, a new one at every start; unique among all that share a store.
    package var worker: WorkerID

    /// The maximum number of webhooks that are processed at the same time, 1...1000.
    ///
    /// One that does not respond uses its slot for at most the ``deadline``.
    package var concurrency = 32

    /// The maximum number of events in one request, 1...1000.
    package var maximumEvents = 100

    /// The maximum number of requests per claim of a webhook, 1 or more; then other webhooks are processed.
    package var requestsPerTurn = 20

    /// The timeout of a request: name resolution, connection, handshake and response together.
    package var deadline: Duration = .seconds(10)

    /// The lease duration of a webhook, which must be longer than the ``deadline``; every request extends the lease.
    package var leaseDuration: Duration = .seconds(60)

    /// The interval of polls, which find what no signal reported: events of other processes, expired leases, and retries.
    package var pollInterval: Duration = .seconds(1)

    /// The pause after a claim that found no webhook.
    ///
    /// Most events concern no webhook. Events during a pause share one claim.
    package var idlePause: Duration = .milliseconds(20)

    /// The delay after consecutive failures.
    package var backoff = ExponentialBackoff(minimum: .seconds(5), maximum: .seconds(3600), jitter: 1...1.25)

    /// The time of consecutive failures after which a webhook is disabled.
    package var disableAfter: Duration = .seconds(3 * 24 * 3600)

    /// Whether receivers may be on private networks, this machine among them.
    ///
    /// Default: `false`, so that a client that creates webhooks cannot reach hosts that only this server can reach.
    package var allowsPrivateNetworks = false

    /// The maximum number of bytes of a response body that are read; its content has no effect.
    package var maximumAnswerBytes = 4096

    package init(worker: WorkerID = .unique()) { self.worker = worker }
}
