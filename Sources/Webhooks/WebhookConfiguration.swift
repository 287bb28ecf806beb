// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import Work

/// How much is posted to receivers at once, how long is waited, and what is not connected to.
package struct WebhookConfiguration: Hashable, Sendable {
    /// The lease holder's name of this process, a new one at every start; unique among all that share a store.
    package var worker: WorkerID

    /// How many webhooks are posted to at once, 1...1000.
    ///
    /// One that does not answer holds its place for at most the ``deadline``.
    package var concurrency = 32

    /// How many events one request holds at most, 1...1000.
    package var maximumEvents = 100

    /// How many requests are made for a webhook before others get their turn, 1 or more.
    package var requestsPerTurn = 20

    /// How long a receiver has to answer a request altogether: name, connection, handshake and answer.
    package var deadline: Duration = .seconds(10)

    /// How long a webhook is leased, which has to be longer than the ``deadline``; every request extends it.
    package var leaseDuration: Duration = .seconds(60)

    /// The interval of polls, which find what no signal reported: events of other processes, expired leases, and retries.
    package var pollInterval: Duration = .seconds(1)

    /// The pause after a claim that found no webhook.
    ///
    /// Most events concern no webhook. Events during a pause share one claim.
    package var idlePause: Duration = .milliseconds(20)

    /// How long is waited after failures in a row.
    package var backoff = ExponentialBackoff(minimum: .seconds(5), maximum: .seconds(3600), jitter: 1...1.25)

    /// After how long without a success a webhook is disabled.
    package var disableAfter: Duration = .seconds(3 * 24 * 3600)

    /// Whether receivers may be on private networks, this machine among them.
    ///
    /// By default they may not, so that whoever may create webhooks cannot reach what only this server can.
    package var allowsPrivateNetworks = false

    /// How many bytes of an answer's body are read; nothing depends on what it says.
    package var maximumAnswerBytes = 4096

    package init(worker: WorkerID = .unique()) { self.worker = worker }
}
