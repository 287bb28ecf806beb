// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

struct AppAnswer: Codable {
    let id: String
    let name: String
    let defaultEnvironment: String
    let createdAt: String
}

/// A credential without its private part.
struct CredentialAnswer: Codable {
    let id: String
    let kind: String
    let keyID: String?
    let teamID: String?
    let format: String?
    let environments: [String]
    let storage: String
    let createdAt: String
}

struct DeviceAnswer: Codable {
    struct Status: Codable {
        let state: String
        let reason: String?
        let since: String?
    }

    let installation: String
    let token: String
    let environment: String
    let platform: String?
    let userID: String?
    let registeredAt: String
    let status: Status
}

/// How far a notification has come.
struct NotificationAnswer: Decodable {
    struct Counts: Decodable {
        let delivered: Int
        let rejected: [String: Int]
        let failed: [String: Int]
    }

    struct Skipped: Decodable {
        let count: Int
        let devices: [String]?
        let users: [String]?
    }

    struct Outcome: Decodable {
        let index: Int
        let apnsID: String
        let device: String?
        let user: String?
        let state: String
        let status: Int?
        let reason: String?
        let code: String?
    }

    let id: String
    let state: String
    let targetCount: Int
    let remaining: Int
    let counts: Counts
    let skipped: Skipped?
    let outcomes: [Outcome]?
    let failures: [Outcome]?
}

extension NotificationAnswer {
    /// Whether every target has its outcome.
    var isDone: Bool { self.remaining == 0 }
}
