// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

struct AppResponse: Decodable {
    let id: String
    let name: String
    let defaultEnvironment: String
    let createdAt: String
    let installationSecrets: String
    let activityJoins: String
}

/// A credential without its private part.
struct CredentialResponse: Decodable {
    let id: String
    let type: String
    let keyID: String?
    let teamID: String?
    let format: String?
    let environments: [String]
    let storage: String
    let createdAt: String
}

struct DeviceResponse: Decodable {
    struct Status: Decodable {
        let state: String
        let reason: String?
        let since: String?
    }

    let device: String
    let token: String
    let environment: String
    let userID: String?
    let registeredAt: String
    let status: Status
}

/// The progress of a notification.
struct NotificationResponse: Decodable {
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

extension NotificationResponse {
    /// Whether every target has its outcome.
    var isDone: Bool { self.remaining == 0 }
}

/// A topic, as returned by the API.
struct TopicResponse: Decodable {
    let name: String
    let displayName: String?
    let tags: [String: String]
    let createdAt: String
}

/// A subscription, as returned by the API; the response itself has its filter policy.
struct SubscriptionResponse: Decodable {
    let id: String
    let topic: String
    let device: String?
    let user: String?
    let filterScope: String?
    let createdAt: String

    var subscriber: String { self.device.map { "device \($0)" } ?? "user \(self.user ?? "-")" }
}

/// The result of a publication, as returned by the API.
struct PublicationResponse: Decodable {
    let notification: NotificationResponse?
    let campaign: CampaignResponse?
}

/// The displayed part of a broadcast channel.
struct NamedChannelResponse: Decodable {
    let name: String
    let id: String?
    let environment: String
    let messageStoragePolicy: String
    let state: String
    let createdAt: String
    let existsAtAPNs: Bool?

    var standing: String {
        switch (self.state, self.existsAtAPNs) {
        case ("active", false): "deleted at APNs"
        default: self.state
        }
    }
}

/// The channels of an app in an environment, and the other channels of APNs.
struct ChannelListResponse: Decodable {
    struct APNsError: Decodable {
        let code: String
        let detail: String
    }

    let channels: [NamedChannelResponse]
    let unmanaged: [String]?
    let apnsError: APNsError?
}

/// The displayed part of a token validation.
struct TokenValidationResponse: Decodable {
    struct Report: Decodable {
        struct Inconclusive: Decodable {
            let rejected: [String: Int]
            let failed: [String: Int]
        }

        let checked: Int
        let valid: Int
        let unregistered: Int
        let otherEnvironment: Int
        let fixed: Int
        let invalid: Int
        let inconclusive: Inconclusive
    }

    let id: String
    let name: String
    let createdAt: String
    let state: String
    let reason: String?
    let phase: String
    let total: Int?
    let blockedBy: [CampaignResponse.Progress.Waiting]?
    let deferredUntil: String?
    let isCompleted: Bool
    let report: Report

    var summary: String {
        let report = self.report
        var parts = [
            "\(report.checked) of \(max(self.total ?? 0, report.checked)) checked", "\(report.valid) valid",
        ]
        parts += [
            (report.unregistered, "unregistered"), (report.otherEnvironment, "of the other environment"),
            (report.fixed, "fixed"),
            (report.invalid, "invalid in both"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let inconclusive = report.inconclusive.rejected
            .merging(report.inconclusive.failed, uniquingKeysWith: { $0.addingClamping($1) })
        parts += inconclusive.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !self.isCompleted {
            parts += (self.blockedBy ?? []).map(\.summary)
            if let deferredUntil { parts.append("the rest is deferred by APNs until \(deferredUntil)") }
        }
        if !self.isCompleted, self.phase != "checking" { parts.append(self.phase.replacing("_", with: " ")) }
        if let reason { parts.append(reason) }
        return parts.joined(separator: ", ")
    }
}
