// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A server together with the credential for it: each has connections of its own.
///
/// APNs binds a connection to the team of its first push, so that two credentials never share one.
public struct APNsDestination: Hashable, Sendable {
    /// The server.
    public var endpoint: APNsEndpoint
    /// What this side authenticates itself with.
    public var credential: APNsCredential

    /// A server together with the credential for it.
    public init(endpoint: APNsEndpoint, credential: APNsCredential) {
        self.endpoint = endpoint
        self.credential = credential
    }
}
