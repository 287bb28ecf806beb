// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

/// How much is posted to URLs that are subscribed to topics at once, and how long is waited.
package struct TopicPostingConfiguration: Hashable, Sendable {
    /// How long a URL has to answer a request altogether: name, connection, handshake and answer.
    package static let deadline: Duration = .seconds(15)

    /// The name under which this process leases deliveries; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    package var worker: WorkerID

    /// How many subscriptions are posted to at once.
    ///
    /// Range: 1...1000. Default: 64. One that does not answer holds its place until its requests' deadline.
    package var concurrency = 64

    /// How many requests are on their way to one subscription at once.
    ///
    /// Range: 1...1000. Default: 4.
    package var requestsAtOnce = 4

    /// How long deliveries are leased.
    ///
    /// Default: 1 minute; it has to be longer than the deadline of a request.
    package var leaseDuration: Duration = .seconds(60)

    /// The interval of polls, which find what no signal reported: deliveries of other processes, expired leases, and retries.
    ///
    /// Default: 1 second.
    package var pollInterval: Duration = .seconds(1)

    package init(worker: WorkerID = .unique()) {
        self.worker = worker
    }
}
