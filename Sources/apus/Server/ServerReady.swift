// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a server says when it answers requests.
struct ServerReady: Codable, Sendable {
    /// The API's address.
    let url: String

    /// The data directory.
    let data: String

    /// Whether there is an API key; without one nobody can use the API.
    let hasKeys: Bool

    init(host: String, port: Int, data: String, hasKeys: Bool) {
        let isAny = ["0.0.0.0", "::"].contains(host)
        let name = isAny ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
        self.url = "http://\(name):\(port)"
        self.data = data
        self.hasKeys = hasKeys
    }
}
