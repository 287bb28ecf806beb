// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
    func connectionClosed(to host: String)
    /// Answers came in one burst.
    func answered(accepted: Int, rejected: Int)
    /// Notifications go back to the queue to be sent again.
    func resent(_ count: Int)
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
    public func connectionClosed(to host: String) {}
    /// Does nothing.
    public func answered(accepted: Int, rejected: Int) {}
    /// Does nothing.
    public func resent(_ count: Int) {}
}
