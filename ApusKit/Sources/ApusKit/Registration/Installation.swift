// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// What the server is told of a device.
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

/// What an installation says of itself, kept from one launch to the next.
///
/// The token is not: Apple wants it asked for each time.
struct Installation: Codable, Sendable, Equatable {
    /// A name of its own, made at the first launch.
    var id = UUID().uuidString.lowercased()
    var userID: String?
    var tags: [String: String] = [:]
    var topics: Set<String> = []
    /// Whether the person lets the app notify, as far as is known: a launch by a push does not ask.
    var permission: String?
    /// Whether the app has said that it wants no pushes any more.
    var isUnregistered = false

    /// The most tags that an app may set: the server takes one more, which is the kit's own.
    static let maximumTags = 63

    /// The most topics that the server takes.
    static let maximumTopics = 256

    /// Sets a tag or removes it.
    ///
    /// - Returns: whether there was room: one too many, and the server would refuse all of the registration.
    mutating func set(_ tag: String, to value: String?) -> Bool {
        guard value == nil || self.tags[tag] != nil || self.tags.count < Self.maximumTags else { return false }
        self.tags[tag] = value
        return true
    }

    /// Adds a topic.
    ///
    /// - Returns: whether there was room for it.
    mutating func subscribe(to topic: String) -> Bool {
        guard self.topics.contains(topic) || self.topics.count < Self.maximumTopics else { return false }
        self.topics.insert(topic)
        return true
    }

    /// The tag by which the server knows whether the person lets the app notify.
    static let permissionTag = "permission"

    /// What the system says of the app and the phone.
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

    /// A text where the server takes it, which would else refuse all of the registration.
    private static func fitting(_ text: String?) -> String? {
        text.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
    }

    /// What the server is told, with a token.
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
            // A person's own calendar, units and the like stand behind `-u-`, and can make it long.
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
    /// Two hexadecimal digits a byte, as APNs and the server write tokens.
    var hexadecimal: String { self.map { String(format: "%02x", $0) }.joined() }
}
