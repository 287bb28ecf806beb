// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Provider connections, from Swift.
extension APNsSimulator {
    /// The provider connections that are open, in the order in which they were accepted.
    public func connections() async -> [ProviderConnectionInfo] {
        await self.core.connections.snapshot()
    }

    /// Tells a provider connection to go away, or cuts it off.
    ///
    /// - Parameters:
    ///   - id: what connections() calls it.
    ///   - reason: what GOAWAY says; `nil` cuts the connection without a word.
    /// - Returns: whether there is such a connection.
    @discardableResult
    public func endConnection(_ id: Int, reason: RejectionReason?) -> Bool {
        self.core.connections.end(id, reason: reason)
    }

    /// Tells all provider connections to go away, or cuts them off.
    ///
    /// - Parameter reason: what GOAWAY says; `nil` cuts the connections without a word.
    public func endConnections(reason: RejectionReason?) {
        self.core.connections.endAll(reason: reason)
    }
}
