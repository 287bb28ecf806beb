// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What an app tells about a device and its user; audiences are chosen by it.
///
/// A registration replaces the whole profile.
public struct DeviceProfile: Hashable, Sendable, Codable {
    /// The operating system.
    public var platform: DevicePlatform?

    /// The app's version, such as `2.10.1`; at most 64 bytes.
    public var appVersion: String?

    /// The user's locale as BCP 47, such as `ja-JP`; at most 64 bytes.
    public var locale: String?

    /// The device's time zone by its IANA name, such as `Asia/Tokyo`; at most 64 bytes.
    public var timeZone: String?

    /// The user who is signed in.
    public var userID: UserID?

    /// Free attributes: at most 64, names of 1 to 64 bytes, values of at most 256 bytes.
    public var tags: [String: String]

    /// The topics that the user subscribed to: at most 256, of 1 to 128 bytes each.
    public var topics: Set<String>

    /// Describes a device; everything may be left out.
    ///
    /// - Parameters:
    ///   - platform: the operating system.
    ///   - appVersion: the app's version.
    ///   - locale: the user's locale as BCP 47.
    ///   - timeZone: the time zone's IANA name.
    ///   - userID: the user who is signed in.
    ///   - tags: free attributes.
    ///   - topics: the topics that the user subscribed to.
    public init(
        platform: DevicePlatform? = nil,
        appVersion: String? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        userID: UserID? = nil,
        tags: [String: String] = [:],
        topics: Set<String> = []
    ) {
        self.platform = platform
        self.appVersion = appVersion
        self.locale = locale
        self.timeZone = timeZone
        self.userID = userID
        self.tags = tags
        self.topics = topics
    }
}
