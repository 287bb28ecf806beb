// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The keys of the listener for clients of apns-proxy-server.
extension ConfigurationKey {
    static let proxyPort = Self(
        "proxy.port",
        .integer(0...65_535),
        fallback: nil,
        "port on which apus serve answers clients of apns-proxy-server; 0 selects a free port; default: not served"
    )

    static let proxyPullPort = Self(
        "proxy.pullPort",
        .integer(0...65_535),
        fallback: nil,
        "port for their messages without a response; default: the one after proxy.port"
    )

    static let proxyHost = Self(
        "proxy.host",
        .text,
        fallback: "127.0.0.1",
        "IP address for these two ports; their protocol has no keys and no encryption"
    )

    static let proxyApps = Self(
        "proxy.apps",
        .text,
        fallback: nil,
        "apps of the appid values, as 14=com.example.app,dev=com.example.app:sandbox; default: each appid is the ID of an "
            + "app"
    )
}
