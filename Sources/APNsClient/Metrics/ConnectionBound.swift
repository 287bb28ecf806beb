// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What keeps a connection from sending more.
public enum ConnectionBound: String, Sendable, Hashable, CaseIterable {
    /// Nothing waits to be sent.
    case work

    /// Every stream that the server grants is in use.
    case streams

    /// The bodies on their way fill the window of the connection (RFC 9113 section 6.9): Apple's takes 65,535 bytes, which
    /// are about 280 small requests in a round trip.
    case window
}
