// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// What callers of the SNS endpoint call a platform application: a name of theirs for an app in one environment of APNs,
/// with the credential that was given under it.
///
/// It holds nothing of the app's own: the app's devices in that environment are its endpoints.
public struct PlatformApplication: Hashable, Sendable {
    /// By what it is known; its ARN says the same.
    public struct Name: Hashable, Sendable {
        /// The push service as SNS names it: `APNS`, `APNS_SANDBOX`, ...
        public let platform: String

        /// What its maker calls it, 1...256 letters, digits, `_`, `.` and `-`.
        public let text: String

        /// Takes both parts; nothing is checked.
        public init(platform: String, text: String) {
            self.platform = platform
            self.text = text
        }
    }

    public let name: Name
    public let app: AppID
    public let environment: APNsEnvironment

    /// The credential that was given last, which may have been removed from the app since.
    public var credential: CredentialID

    /// What callers keep with it, by SNS' names; no value is empty, and none is a secret.
    public var attributes: [String: String]

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    public init(
        name: Name,
        app: AppID,
        environment: APNsEnvironment,
        credential: CredentialID,
        attributes: [String: String],
        createdAt: Date
    ) {
        self.name = name
        self.app = app
        self.environment = environment
        self.credential = credential
        self.attributes = attributes
        self.createdAt = createdAt
    }

    /// Takes over what a call sets: an empty value takes an attribute away.
    public mutating func set(_ attributes: [String: String]) {
        self.attributes = self.attributes.merging(attributes) { $1 }.filter { !$0.value.isEmpty }
    }

    /// Whether messages are taken for it; its callers may say that they are not.
    public var isEnabled: Bool { self.attributes["Enabled"] != "false" }
}

extension PlatformApplication.Name: Comparable, CustomStringConvertible {
    public static func < (left: PlatformApplication.Name, right: PlatformApplication.Name) -> Bool {
        let pair = left.platform == right.platform ? (left.text, right.text) : (left.platform, right.platform)
        return pair.0.utf8.lexicographicallyPrecedes(pair.1.utf8)
    }

    public var description: String { "\(self.platform)/\(self.text)" }
}
