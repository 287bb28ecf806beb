// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The request body that registers a device.
struct DeviceRegistration: Encodable, Sendable, Equatable {
    var token: String
    var environment: PushEnvironment
    var platform: String
    var appVersion: String?
    var systemVersion: String?
    var locale: String?
    var timeZone: String?
    var userID: String?
    var tags: [String: String]
    var topics: [String]
}

/// The stored state of the device registration.
///
/// It has no device token, because Apple requires an app to request it at every launch.
struct Installation: Codable, Sendable, Equatable {
    /// The device ID, created at the first launch.
    var id = UUID().uuidString.lowercased()
    var userID: String?
    var tags: [String: String] = [:]
    var topics: Set<String> = []
    /// The last known notification authorization; a launch by a push does not read it.
    var permission: String?
    /// Whether the app unregistered the device.
    var isUnregistered = false

    /// The maximum number of tags that an app can set; the server accepts one more, which the kit sets.
    static let maximumTags = 63

    /// The maximum number of topics that the server accepts.
    static let maximumTopics = 256

    /// Sets a tag; `nil` removes it.
    ///
    /// - Returns: Whether the tag fits the limit; above it, the server would reject the whole registration.
    mutating func set(_ tag: String, to value: String?) -> Bool {
        guard value == nil || self.tags[tag] != nil || self.tags.count < Self.maximumTags else { return false }
        self.tags[tag] = value
        return true
    }

    /// Adds a topic.
    ///
    /// - Returns: Whether the topic fits the limit.
    mutating func subscribe(to topic: String) -> Bool {
        guard self.topics.contains(topic) || self.topics.count < Self.maximumTopics else { return false }
        self.topics.insert(topic)
        return true
    }

    /// The tag that holds the notification authorization.
    static let permissionTag = "permission"

    /// The versions, locale and time zone of the app and the device.
    struct Surroundings: Sendable {
        var appVersion = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        var systemVersion = Self.text(ProcessInfo.processInfo.operatingSystemVersion)
        // BCP 47: `ja-JP`, where Foundation's own identifier is `ja_JP`.
        var locale = Locale.current.identifier(.bcp47)
        var timeZone = TimeZone.autoupdatingCurrent.identifier

        private static func text(_ version: OperatingSystemVersion) -> String {
            let patch = version.patchVersion == 0 ? "" : ".\(version.patchVersion)"
            return "\(version.majorVersion).\(version.minorVersion)\(patch)"
        }

        static var platform: String {
            #if os(visionOS)
            "visionos"
            #elseif os(tvOS)
            "tvos"
            #elseif os(watchOS)
            "watchos"
            #elseif os(macOS)
            "macos"
            #else
            "ios"
            #endif
        }
    }

    /// Omits a value that is not 1 to 64 bytes, because the server would reject the whole registration.
    private static func fitting(_ text: String?) -> String? {
        text.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
    }

    /// The registration with a device token.
    func registration(
        token: String,
        environment: PushEnvironment,
        in surroundings: Surroundings
    ) -> DeviceRegistration {
        var tags = self.tags
        tags[Self.permissionTag] = self.permission
        return DeviceRegistration(
            token: token,
            environment: environment,
            platform: Surroundings.platform,
            appVersion: Self.fitting(surroundings.appVersion),
            systemVersion: surroundings.systemVersion,
            // The `-u-` extension contains the user's calendar, units and so on, and can exceed the limit.
            locale: Self.fitting(surroundings.locale)
                ?? Self.fitting(
                    surroundings.locale.range(of: "-u-").map { String(surroundings.locale[..<$0.lowerBound]) }
                ),
            timeZone: Self.fitting(surroundings.timeZone),
            userID: self.userID,
            tags: tags,
            topics: self.topics.sorted()
        )
    }
}

extension Data {
    /// Two hexadecimal digits per byte, as in the tokens of APNs and the server.
    var hexadecimal: String { self.map { String(format: "%02x", $0) }.joined() }
}
