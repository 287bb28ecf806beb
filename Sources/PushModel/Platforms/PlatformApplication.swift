// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A platform application of the SNS endpoint: a name for an app in one environment, with the credential of its
/// creation.
///
/// The first application of an app and environment has the app's own devices as its endpoints; every other one has
/// endpoints of its own.
public struct PlatformApplication: Hashable, Sendable {
    /// Its identity, which the ARN contains.
    public struct Name: Hashable, Sendable {
        /// The push service as SNS names it: `APNS`, `APNS_SANDBOX`, ...
        public let platform: String

        /// The name, 1...256 letters, digits, `_`, `.` and `-`.
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

    /// Custom attributes, by their SNS names; no value is empty or secret.
    public var attributes: [String: String]

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    /// The `Device.container` of its endpoints, which the store selects.
    public package(set) var container = ""

    /// The devices that are its endpoints.
    public var endpoints: EndpointContainer {
        EndpointContainer(app: self.app, environment: self.environment, name: self.container)
    }

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

    /// Applies the attributes of a call: an empty value removes an attribute.
    public mutating func set(_ attributes: [String: String]) {
        self.attributes = self.attributes.merging(attributes) { $1 }.filter { !$0.value.isEmpty }
    }

    /// Whether messages are taken for it; its callers may say that they are not.
    public var isEnabled: Bool { self.attributes["Enabled"] != "false" }
}

extension PlatformApplication.Name: Comparable, LosslessStringConvertible {
    /// Reads the ``description``; nothing else is checked.
    public init?(_ description: String) {
        let parts = description.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        self.init(platform: parts[0], text: parts[1])
    }

    public static func < (left: PlatformApplication.Name, right: PlatformApplication.Name) -> Bool {
        let pair = left.platform == right.platform ? (left.text, right.text) : (left.platform, right.platform)
        return pair.0.utf8.lexicographicallyPrecedes(pair.1.utf8)
    }

    public var description: String { "\(self.platform)/\(self.text)" }
}
