// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The ports on which APNs takes pushes over HTTP/2 and TLS.
public enum APNsPort {
    /// The usual port.
    public static let standard = 443
    /// The other port, for networks in which 443 is taken or filtered.
    public static let alternate = 2197
}
