// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The keys about clients of the API and the proxies before it.
extension ConfigurationKey {
    static let trustedProxies = Self(
        "trustedProxies",
        .text,
        fallback: nil,
        "addresses and CIDR ranges of the proxies before the API, separated by commas. Their X-Forwarded-For tells the "
            + "address of a client; without them, the address of the connection counts"
    )

    static let proxyProtocol = Self(
        "proxyProtocol",
        .boolean,
        fallback: "false",
        "read a header of the PROXY protocol, version 1 or 2, at the start of each connection from trustedProxies; a "
            + "connection from there without one is closed"
    )

    static let keyRequestsPerSecond = Self(
        "keyRequestsPerSecond",
        .integer(0...1_000_000),
        fallback: "0",
        "maximum number of requests per second of one API key without the scope admin; as many may come at once; 0 means "
            + "no limit"
    )
}
