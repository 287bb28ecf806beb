// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// How much is posted to URLs that are subscribed to topics at once, and how long is waited.
public struct TopicPostingConfiguration: Hashable, Sendable {
    /// How long a URL has to answer a request altogether: name, connection, handshake and answer.
    public static let deadline: Duration = .seconds(15)

    /// The name under which this process leases deliveries; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    public var worker: WorkerID

    /// How many subscriptions are posted to at once.
    ///
    /// Range: 1...1000. Default: 64. One that does not answer holds its place until its requests' deadline.
    public var concurrency = 64

    /// How many requests are on their way to one subscription at once.
    ///
    /// Range: 1...1000. Default: 4.
    public var requestsAtOnce = 4

    /// How long deliveries are leased.
    ///
    /// Default: 1 minute; it has to be longer than the deadline of a request.
    public var leaseDuration: Duration = .seconds(60)

    /// How often the store is asked for deliveries of which no signal told: those of other processes, lapsed leases, and those
    /// that are tried again.
    ///
    /// Default: 1 second.
    public var pollInterval: Duration = .seconds(1)

    /// The documented defaults.
    ///
    /// - Parameter worker: the name under which this process leases deliveries.
    public init(worker: WorkerID = TopicPostingConfiguration.uniqueWorker()) {
        self.worker = worker
    }

    /// A worker's name that no other process has: `topics-` and 16 random hexadecimal digits.
    public static func uniqueWorker() -> WorkerID {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return WorkerID(unchecked: "topics-" + String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
