// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A broadcast channel, as much of it as people are told.
struct NamedChannelAnswer: Codable {
    let app: String
    let name: String
    let id: String?
    let environment: String
    let messageStorage: String
    let state: String
    let createdAt: String
    let isAtAPNs: Bool?

    /// What people are told of where it is.
    var standing: String {
        switch (self.state, self.isAtAPNs) {
        case ("active", false): "gone from APNs"
        default: self.state
        }
    }
}

/// The channels of an app in an environment, and what of APNs' is not among them.
struct ChannelListAnswer: Codable {
    struct Trouble: Codable {
        let code: String
        let detail: String
    }

    let environment: String
    let channels: [NamedChannelAnswer]
    let unknown: [String]?
    let trouble: Trouble?
}
