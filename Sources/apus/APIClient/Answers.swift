// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

struct AppAnswer: Decodable {
    let id: String
    let name: String
    let defaultEnvironment: String
    let createdAt: String
}

/// A credential without its private part.
struct CredentialAnswer: Decodable {
    let id: String
    let kind: String
    let keyID: String?
    let teamID: String?
    let format: String?
    let environments: [String]
    let storage: String
    let createdAt: String
}

struct DeviceAnswer: Decodable {
    struct Status: Decodable {
        let state: String
        let reason: String?
        let since: String?
    }

    let installation: String
    let token: String
    let environment: String
    let userID: String?
    let registeredAt: String
    let status: Status
}

/// How far a notification has come.
struct NotificationAnswer: Decodable {
    struct Counts: Decodable {
        let delivered: Int
    }

    struct Skipped: Decodable {
        let count: Int
        let devices: [String]?
        let users: [String]?
    }

    struct Outcome: Decodable {
        let apnsID: String
        let device: String?
        let user: String?
        let state: String
        let status: Int?
        let reason: String?
        let code: String?
    }

    let id: String
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

/// A topic, as the API writes it.
struct TopicAnswer: Decodable {
    let name: String
    let displayName: String?
    let tags: [String: String]
    let createdAt: String
}

/// A subscription, as the API writes it; what its filter is stands in the answer itself.
struct SubscriptionAnswer: Decodable {
    let id: String
    let topic: String
    let device: String?
    let user: String?
    let filterScope: String?
    let createdAt: String

    var subscriber: String { self.device.map { "device \($0)" } ?? "user \(self.user ?? "-")" }
}

/// What a publication came to, as the API writes it.
struct PublicationAnswer: Decodable {
    let notification: NotificationAnswer?
    let campaign: CampaignAnswer?
}

/// A broadcast channel, as much of it as people are told.
struct NamedChannelAnswer: Decodable {
    let name: String
    let id: String?
    let environment: String
    let messageStorage: String
    let state: String
    let createdAt: String
    let isAtAPNs: Bool?

    var standing: String {
        switch (self.state, self.isAtAPNs) {
        case ("active", false): "gone from APNs"
        default: self.state
        }
    }
}

/// The channels of an app in an environment, and what of APNs' is not among them.
struct ChannelListAnswer: Decodable {
    struct Trouble: Decodable {
        let code: String
        let detail: String
    }

    let channels: [NamedChannelAnswer]
    let unknown: [String]?
    let trouble: Trouble?
}

/// A screening, as much of it as people are told.
struct ScreeningAnswer: Decodable {
    struct Report: Decodable {
        struct Unknown: Decodable {
            let rejected: [String: Int]
            let failed: [String: Int]
        }

        let checked: Int
        let alive: Int
        let dead: Int
        let otherEnvironment: Int
        let corrected: Int
        let bad: Int
        let unknown: Unknown
    }

    let id: String
    let name: String
    let createdAt: String
    let state: String
    let reason: String?
    let phase: String
    let expected: Int?
    let waitingFor: [CampaignAnswer.Progress.Waiting]?
    let deferredUntil: String?
    let isSettled: Bool
    let report: Report

    var summary: String {
        let report = self.report
        var parts = [
            "\(report.checked) of \(max(self.expected ?? 0, report.checked)) checked", "\(report.alive) alive",
        ]
        parts += [
            (report.dead, "dead"), (report.otherEnvironment, "of the other environment"),
            (report.corrected, "corrected"),
            (report.bad, "bad in both"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let unknown = report.unknown.rejected
            .merging(report.unknown.failed, uniquingKeysWith: { $0.addingClamping($1) })
        parts += unknown.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !self.isSettled {
            parts += (self.waitingFor ?? []).map(\.summary)
            if let deferredUntil { parts.append("the rest is sent later, as APNs asked, from \(deferredUntil) on") }
        }
        if !self.isSettled, self.phase != "checking" { parts.append(self.phase) }
        if let reason { parts.append(reason) }
        return parts.joined(separator: ", ")
    }
}
