// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a server says when it answers requests.
struct ServerReady: Codable, Sendable {
    /// The API's address.
    let url: String

    /// The data directory.
    let data: String

    /// Where the store is, for people: the data directory, or the host and name of the database.
    let store: String

    /// Whether there is an API key; without one nobody can use the API.
    let hasKeys: Bool

    init(host: String, port: Int, data: String, store: String, hasKeys: Bool) {
        self.url = ListeningURL.text(host: host, port: port)
        self.data = data
        self.store = store
        self.hasKeys = hasKeys
    }
}
