// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The ready message of a server.
package struct ServerReady: Codable, Sendable {
    /// The API's address.
    package let url: String

    /// The data directory.
    package let data: String

    /// The location of the store to display: the data directory, or the host and name of the database.
    package let store: String

    /// Whether there is an API key; without one, no client can use the API.
    package let hasKeys: Bool

    /// The port for clients of apns-proxy-server; `nil` if it is off.
    package let proxyPort: Int?

    package init(url: String, data: String, store: String, hasKeys: Bool, proxyPort: Int? = nil) {
        self.url = url
        self.data = data
        self.store = store
        self.hasKeys = hasKeys
        self.proxyPort = proxyPort
    }
}

/// The ready message of a worker.
package struct WorkerReady: Codable, Sendable {
    /// The command that it carries out.
    package let role: String
    package let pid: Int32

    /// The address of its probes and metrics; `nil` where it listens on no port.
    package let probes: String?

    package init(role: String, pid: Int32, probes: String?) {
        self.role = role
        self.pid = pid
        self.probes = probes
    }
}
