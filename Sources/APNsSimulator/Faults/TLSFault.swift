// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is wrong with the TLS of a connection.
public enum TLSFault: String, Sendable, Hashable, CaseIterable {
    /// The server's certificate has expired.
    case expiredCertificate
    /// The server's certificate is for another name.
    case wrongName
    /// The server's certificate was issued by an authority that nobody trusts.
    case untrustedCertificate
    /// The connection is cut when the client has begun its handshake.
    case cutHandshake
    /// The server agrees on no application protocol.
    case noALPN
    /// The server offers `http/1.1` only.
    case http1ALPN
    /// The server speaks TLS 1.1 and nothing newer.
    case tls11
    /// The server speaks TLS 1.2 and nothing newer.
    case tls12
}
