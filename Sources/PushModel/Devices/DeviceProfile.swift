// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import WallTime

/// An app's data about a device and its user, which audiences select.
///
/// A registration replaces the complete profile.
public struct DeviceProfile: Hashable, Sendable, Codable {
    public var platform: DevicePlatform?

    /// The app's version, such as `2.10.1`; at most 64 bytes.
    public var appVersion: String?

    /// The version of the operating system, such as `18.1`; at most 32 bytes.
    public var systemVersion: String?

    /// The user's locale as BCP 47, such as `ja-JP`; at most 64 bytes.
    public var locale: String?

    /// The device's time zone by its IANA name, such as `Asia/Tokyo`; aliases such as `Asia/Calcutta` count.
    public var timeZone: String?

    /// The user who is signed in.
    public var userID: UserID?

    /// Free attributes: at most 64, names of 1 to 64 bytes, values of at most 256 bytes.
    public var tags: [String: String]

    /// The topics that the user subscribed to: at most 256, of 1 to 128 bytes each.
    public var topics: Set<String>

    public init(
        platform: DevicePlatform? = nil,
        appVersion: String? = nil,
        systemVersion: String? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        userID: UserID? = nil,
        tags: [String: String] = [:],
        topics: Set<String> = []
    ) {
        self.platform = platform
        self.appVersion = appVersion
        self.systemVersion = systemVersion
        self.locale = locale
        self.timeZone = timeZone
        self.userID = userID
        self.tags = tags
        self.topics = topics
    }
}

/// The operating system that a device runs; unknown ones survive a round trip.
public struct DevicePlatform: RawRepresentable, Hashable, Sendable, Codable {
    /// The name, in lower case.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let iOS = DevicePlatform(rawValue: "ios")
    public static let iPadOS = DevicePlatform(rawValue: "ipados")
    public static let macOS = DevicePlatform(rawValue: "macos")
    public static let tvOS = DevicePlatform(rawValue: "tvos")
    public static let watchOS = DevicePlatform(rawValue: "watchos")
    public static let visionOS = DevicePlatform(rawValue: "visionos")
}

extension DeviceProfile {
    public static let maximumTags = 64
    public static let maximumTopics = 256

    /// Checks every limit that the properties state.
    ///
    /// - Returns: all failures found, each with field, rule and the size of the value, or the unknown time zone; empty
    ///   when all is well.
    public func validate() -> [InvalidValueError] {
        var failures = [
            Self.check(self.platform?.rawValue, field: "platform", bytes: 1...32),
            Self.check(self.appVersion, field: "appVersion", bytes: 1...64),
            Self.check(self.systemVersion, field: "systemVersion", bytes: 1...32),
            Self.check(self.locale, field: "locale", bytes: 1...64),
            self.timeZone.flatMap { Self.check(timeZone: $0) },
        ].compactMap(\.self)
        if self.tags.count > Self.maximumTags {
            failures.append(Self.tooMany(self.tags.count, field: "tags", maximum: Self.maximumTags))
        }
        if self.topics.count > Self.maximumTopics {
            failures.append(Self.tooMany(self.topics.count, field: "topics", maximum: Self.maximumTopics))
        }
        failures += self.tags.keys.compactMap { Self.check($0, field: "tags (name)", bytes: 1...64) }
        failures += self.tags.values.compactMap { Self.check($0, field: "tags (value)", bytes: 0...256) }
        failures += self.topics.compactMap { Self.check($0, field: "topics", bytes: 1...128) }
        return failures
    }

    private static func check(_ text: String?, field: String, bytes range: ClosedRange<Int>) -> InvalidValueError? {
        guard let text, !text.isPlain(bytes: range) else { return nil }
        return InvalidValueError(
            field: field,
            rule: "\(range.lowerBound) to \(range.upperBound) bytes of UTF-8 without control characters",
            value: "\(text.utf8.count) bytes"
        )
    }

    private static func check(timeZone name: String) -> InvalidValueError? {
        guard !TimeZoneNames.contains(name) else { return nil }
        let value = name.isPlain(bytes: 1...64) ? "'\(name)'" : "\(name.utf8.count) bytes"
        return InvalidValueError(field: "timeZone", rule: TimeZoneNames.rule, value: value)
    }

    private static func tooMany(_ count: Int, field: String, maximum: Int) -> InvalidValueError {
        InvalidValueError(field: field, rule: "at most \(maximum) of them", value: "\(count)")
    }
}
