// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// A campaign, as returned by the API.
struct CampaignResponse: Encodable {
    let id: CampaignID
    let app: String
    let name: String
    let createdAt: Date
    let audience: JSONValue
    let message: MessageBody
    let start: StartResponse
    let ratePerSecond: Int?
    let startPaused: Bool?
    let expiresAt: Date?
    let progress: ProgressResponse

    init(_ status: CampaignStatus, progress: ProgressResponse? = nil) {
        let campaign = status.campaign
        self.id = campaign.id
        self.app = campaign.app.rawValue
        self.name = campaign.name
        self.createdAt = campaign.createdAt
        self.audience = campaign.audience.json
        self.message = MessageBody(campaign.message)
        self.start = StartResponse(campaign.start)
        self.ratePerSecond = campaign.ratePerSecond
        self.startPaused = campaign.startsPaused ? true : nil
        self.expiresAt = campaign.expiresAt
        self.progress = progress ?? ProgressResponse(status)
    }
}

/// A campaign's message, as returned by the API.
struct MessageBody: Encodable {
    struct Variant: Encodable {
        let payload: JSONValue

        init(_ template: MessageTemplate) {
            self.payload = (try? JSONValue(json: template.source.bytes)) ?? .null
        }
    }

    private enum CodingKeys: String, CodingKey {
        case pushType
        case priority
        case timeToLiveSeconds
        case collapseID
        case fallback = "default"
        case variants
    }

    let pushType: String
    let priority: Int?
    let timeToLiveSeconds: Int?
    let collapseID: String?
    let fallback: Variant
    let variants: [String: Variant]

    init(_ message: CampaignMessage) {
        self.pushType = message.pushType.rawValue
        self.priority = message.priority?.rawValue
        self.timeToLiveSeconds = message.timeToLive
        self.collapseID = message.collapseID?.rawValue
        self.fallback = Variant(message.fallback)
        self.variants = message.variants.mapValues(Variant.init)
    }
}

/// When a campaign begins, as returned by the API.
struct StartResponse: Encodable {
    struct Local: Encodable {
        let time: String
        let fallbackZone: String
        let sendIfPassed: Bool
    }

    let now: Bool?
    let at: Date?
    let local: Local?

    init(_ start: CampaignStart) {
        switch start {
        case .now: (self.now, self.at, self.local) = (true, nil, nil)
        case .at(let time): (self.now, self.at, self.local) = (nil, time, nil)
        case .local(let start):
            (self.now, self.at) = (nil, nil)
            self.local = Local(
                time: start.time.description,
                fallbackZone: start.fallbackZone,
                sendIfPassed: start.sendIfPassed
            )
        }
    }
}

/// A page of campaigns, as returned by the API.
struct CampaignListResponse: Encodable {
    let campaigns: [CampaignResponse]
    let nextCursor: String?
}

/// The results of a token validation, as returned by the API.
struct ReportResponse: Encodable {
    struct Inconclusive: Encodable {
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

    init(_ report: TokenValidationReport) {
        let inconclusive = report.inconclusive
        self.checked = report.checked
        self.valid = report.valid
        self.unregistered = report.unregistered
        self.otherEnvironment = report.otherEnvironment
        self.fixed = report.fixed
        self.invalid = report.invalid
        self.inconclusive = Inconclusive(
            rejected: Dictionary(uniqueKeysWithValues: inconclusive.rejected.map { ($0.key.rawValue, $0.value) }),
            failed: Dictionary(uniqueKeysWithValues: inconclusive.failed.map { ($0.key.rawValue, $0.value) })
        )
    }
}

/// The named targets that were skipped: the first 100 of each type, and the total count.
struct SkippedResponse: JSONWritable {
    private static let maximumListed = 100
    let count: Int
    let devices: [String]?
    let users: [String]?

    /// `nil` if every recipient was sent to.
    init?(_ recipients: Recipients) {
        self.count = recipients.skippedDevices.count + recipients.skippedUsers.count
        guard self.count > 0 else { return nil }
        let devices = recipients.skippedDevices.prefix(Self.maximumListed).map(\.rawValue)
        let users = recipients.skippedUsers.prefix(Self.maximumListed).map(\.rawValue)
        self.devices = devices.isEmpty ? nil : devices
        self.users = users.isEmpty ? nil : users
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", self.count)
            writer.member("devices", self.devices)
            writer.member("users", self.users)
        }
    }
}

/// How many devices an audience has, as returned by the API.
struct EstimateResponse: Encodable {
    let count: Int
}
