// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// The statistics of the simulator since its start.
public struct SimulatorStatistics: Sendable, Hashable, Codable {
    /// Requests that came in whole.
    public var requests = 0
    /// Requests with a 200 response.
    public var accepted = 0
    /// Requests that a rule refused, by reason.
    public var rejected: [RejectionReason: Int] = [:]
    /// Requests that a fault was played on.
    public var faulted = 0
    /// Notifications that arrived at a device.
    public var delivered = 0
    /// Notifications that were kept for a device that was offline.
    public var stored = 0
    /// Accepted notifications that expired before they could be delivered, or were not to be stored.
    public var expired = 0
    /// Stored notifications that were replaced by a later one, or removed with their app.
    public var replaced = 0
    /// Accepted notifications that were discarded, by cause.
    public var discarded: [DiscardReason: Int] = [:]
    /// Virtual devices, without those of the population to which nothing happened.
    public var devices = 0
    /// Provider connections that are open.
    public var openConnections = 0
    /// Provider connections that were accepted.
    public var connections = 0
    /// ES256 signatures that were checked.
    public var signatureChecks = 0
    /// Deliveries that readers of the feed missed because they were too slow.
    public var missedDeliveries = 0
    /// Events that readers missed because they were too slow.
    public var missedEvents = 0

    /// Nothing has happened yet.
    public init() {}

    /// Whether all figures can be counted on, after they came from a document.
    var isSound: Bool {
        let figures = [
            self.requests, self.accepted, self.faulted, self.delivered, self.stored, self.expired, self.replaced,
            self.devices, self.openConnections, self.connections, self.signatureChecks, self.missedDeliveries,
            self.missedEvents,
        ]
        let all = [figures, Array(self.rejected.values), Array(self.discarded.values)].joined()
        return all.allSatisfy { (0...SnapshotError.maximumCount).contains($0) }
    }
}
