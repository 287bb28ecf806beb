// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Finds the addresses of hosts.
public protocol HostResolver: Sendable {
    /// The addresses of a host.
    ///
    /// - Parameter host: a name or an address.
    /// - Returns: the addresses, the preferred one first; none when it has none.
    /// - Throws: `CancellationError` when the task is cancelled; other errors count as a failure of the connection.
    func addresses(of host: String) async throws -> [NetworkAddress]
}
