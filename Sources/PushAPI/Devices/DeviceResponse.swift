// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// A device as returned by the API, with its members in alphabetical order.
struct DeviceResponse: JSONWritable {
    let app: String
    let device: String
    let token: DeviceToken
    let environment: APNsEnvironment
    let platform: String?
    let appVersion: String?
    let systemVersion: String?
    let locale: String?
    let timeZone: String?
    let userID: String?
    let tags: [String: String]
    let topics: [String]
    let createdAt: Date
    let registeredAt: Date
    let seenAt: Date
    let status: DeviceStatusResponse

    init(_ device: Device) {
        self.app = device.app.rawValue
        self.device = device.installation.rawValue
        self.token = device.token
        self.environment = device.environment
        self.platform = device.profile.platform?.rawValue
        self.appVersion = device.profile.appVersion
        self.systemVersion = device.profile.systemVersion
        self.locale = device.profile.locale
        self.timeZone = device.profile.timeZone
        self.userID = device.profile.userID?.rawValue
        self.tags = device.profile.tags
        self.topics = device.profile.topics.sorted()
        self.createdAt = device.createdAt
        self.registeredAt = device.registeredAt
        self.seenAt = device.seenAt
        self.status = DeviceStatusResponse(device.status)
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", self.app)
            writer.member("appVersion", self.appVersion)
            writer.member("createdAt", self.createdAt)
            writer.member("device", self.device)
            writer.member("environment", self.environment.rawValue)
            writer.member("locale", self.locale)
            writer.member("platform", self.platform)
            writer.member("registeredAt", self.registeredAt)
            writer.member("seenAt", self.seenAt)
            writer.member("status", self.status)
            writer.member("systemVersion", self.systemVersion)
            writer.member("tags", self.tags) { $0.string($1) }
            writer.member("timeZone", self.timeZone)
            writer.member("token", self.token.hex)
            writer.member("topics", self.topics)
            writer.member("userID", self.userID)
        }
    }

    /// The string members as columns of a device file: `app`, `device`, and those of ``DeviceRequest/members`` in
    /// their order.
    var texts: [(name: String, text: String?)] {
        [
            ("app", self.app), ("device", self.device), ("token", self.token.hex),
            ("environment", self.environment.rawValue), ("platform", self.platform),
            ("appVersion", self.appVersion), ("systemVersion", self.systemVersion), ("locale", self.locale),
            ("timeZone", self.timeZone), ("userID", self.userID),
        ]
    }
}

/// The token status of a device, as returned by the API.
struct DeviceStatusResponse: JSONWritable {
    let state: String
    let reason: String?
    let since: Date?

    init(_ status: DeviceStatus) {
        switch status {
        case .active:
            (self.state, self.reason, self.since) = ("active", nil, nil)
        case .suspect(let reason, let since):
            (self.state, self.reason, self.since) = ("suspect", reason.rawValue, since)
        case .invalid(let reason, let since):
            (self.state, self.reason, self.since) = ("invalid", reason.rawValue, since)
        }
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("reason", self.reason)
            writer.member("since", self.since)
            writer.member("state", self.state)
        }
    }
}
