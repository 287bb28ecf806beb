// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What the client counts, for whoever wants to know.
///
/// Calls come on event loops: be quick.
///
/// Answers are reported once for each burst of input, not once for each notification.
public protocol APNsClientMetrics: Sendable {
    /// A connection is ready for requests.
    func connectionOpened(to host: String)
    /// A connection could not be opened.
    func connectionFailed(to host: String)
    /// A connection that had been ready is closed.
    func connectionClosed(to host: String, by end: ConnectionEnd)
    /// APNs asked for a connection to be closed (GOAWAY).
    func goAwayReceived(from host: String, reason: RejectionReason)
    /// How many requests APNs takes at once, on all connections to a host together, has changed.
    func streamsGranted(_ change: Int, by host: String)
    /// What keeps a connection from sending more has changed; `nil` stands for no connection.
    func connectionBound(by bound: ConnectionBound?, before: ConnectionBound?, to host: String)
    /// Answers came in one burst.
    func answered(accepted: Int, rejected: Int)
    /// How long the answers of one burst took.
    func answered(in times: AnswerTimes)
    /// Notifications go back to the queue to be sent again.
    func resent(_ count: Int)
}

extension APNsClientMetrics {
    /// Does nothing.
    public func goAwayReceived(from host: String, reason: RejectionReason) {}
    /// Does nothing.
    public func streamsGranted(_ change: Int, by host: String) {}
    /// Does nothing.
    public func connectionBound(by bound: ConnectionBound?, before: ConnectionBound?, to host: String) {}
    /// Does nothing.
    public func answered(in times: AnswerTimes) {}
}

/// Counts nothing.
public struct NoMetrics: APNsClientMetrics {
    /// Counts nothing.
    public init() {}
    /// Does nothing.
    public func connectionOpened(to host: String) {}
    /// Does nothing.
    public func connectionFailed(to host: String) {}
    /// Does nothing.
    public func connectionClosed(to host: String, by end: ConnectionEnd) {}
    /// Does nothing.
    public func answered(accepted: Int, rejected: Int) {}
    /// Does nothing.
    public func resent(_ count: Int) {}
}
