// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The state of the device that is visible to an app.
public struct DeviceStatus: Sendable, Hashable {
    public var isOnline: Bool
    public var isProduction: Bool
    public var systemName: String
    public var systemVersion: String
    /// The app's device token; `nil` after the app was removed.
    public var token: String?
    /// The app's state: `foreground`, `background`, `suspended`, `forceQuit` or `notLaunched`.
    public var appState: String
    /// A case of `UNAuthorizationStatus`.
    public var permission: String
    public var badge: Int?

    init?(_ object: [String: Any], bundleID: String) {
        guard let apps = object["apps"] as? [[String: Any]],
            let app = apps.first(where: { $0["bundleID"] as? String == bundleID })
        else { return nil }
        self.isOnline = object["online"] as? Bool ?? false
        self.isProduction = object["environment"] as? String == "production"
        self.systemName = object["systemName"] as? String ?? "iOS"
        self.systemVersion = object["systemVersion"] as? String ?? ""
        self.token = (app["tokens"] as? [String: String])?[bundleID]
        self.appState = app["state"] as? String ?? ""
        self.permission = app["permission"] as? String ?? ""
        self.badge = app["badge"] as? Int
    }
}

/// A callback of the system to the app.
public struct DeviceCallback: Sendable, Hashable {
    public var number: Int
    /// The name of the method in Apple's documentation.
    public var name: String
    /// The notification's payload as JSON.
    public var userInfo: Data?
    public var arguments: [String: String]
    public var apnsID: String?
    /// The `apns-collapse-id` of the notification.
    public var collapseID: String?
    /// Whether the app must report completion.
    public var isOpen: Bool
    /// Whether the app was not running at the time of the callback.
    public var launches: Bool

    init?(_ object: [String: Any], collapseIDs: [String: String]) {
        guard let number = object["number"] as? Int, let name = object["call"] as? String else { return nil }
        self.number = number
        self.name = name
        self.userInfo = (object["userInfo"] as? [String: Any]).flatMap {
            try? JSONSerialization.data(withJSONObject: $0)
        }
        self.arguments = object["arguments"] as? [String: String] ?? [:]
        self.apnsID = object["apnsID"] as? String
        self.collapseID = self.apnsID.flatMap { collapseIDs[$0] }
        self.launches = object["launches"] as? Bool ?? false
        self.isOpen =
            object["deadline"] is String && !(object["completedAt"] is String)
            && object["missedDeadline"] as? Bool != true
    }

    /// The notification's payload as passed to delegates.
    public var dictionary: [AnyHashable: Any] {
        let object = self.userInfo.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
        return object.map { Dictionary(uniqueKeysWithValues: $0.map { (AnyHashable($0.key), $0.value) }) } ?? [:]
    }
}

/// A Live Activity on the device.
public struct DeviceActivity: Sendable, Hashable {
    public var id: String
    public var attributesType: String
    /// JSON.
    public var attributes: Data
    /// JSON.
    public var contentState: Data
    /// `pending`, `active`, `stale`, `ended`, `dismissed`.
    public var state: String
    public var staleDate: Date?
    public var relevanceScore: Double
    public var token: String?

    public init?(_ object: [String: Any]) {
        guard let id = object["id"] as? String,
            let state = object["contentState"],
            let content = try? JSONSerialization.data(withJSONObject: state, options: [.sortedKeys]),
            let attributes = try? JSONSerialization.data(
                withJSONObject: object["attributes"] ?? [:] as [String: Any],
                options: [.sortedKeys]
            )
        else { return nil }
        self.id = id
        self.attributesType = object["attributesType"] as? String ?? ""
        self.attributes = attributes
        self.contentState = content
        self.state = object["state"] as? String ?? ""
        self.staleDate = (object["staleDate"] as? String).flatMap { try? Date($0, strategy: .iso8601) }
        self.relevanceScore = object["relevanceScore"] as? Double ?? 0
        self.token = object["token"] as? String
    }
}

/// The result of reading the device.
public struct DeviceSnapshot: Sendable {
    public var status: DeviceStatus
    /// The callbacks since the previous read.
    public var calls: [DeviceCallback]
    /// The app's Live Activities.
    public var activities: [DeviceActivity]
    /// Whether the user allows Live Activities for the app.
    public var areActivitiesEnabled: Bool
    /// Whether the user allows frequent updates for the app.
    public var areFrequentPushesEnabled: Bool
    /// The push-to-start tokens by attributes type.
    public var startTokens: [String: String]
}
