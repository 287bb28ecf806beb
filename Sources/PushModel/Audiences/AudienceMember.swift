// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A device of an audience, with what a message to it is made of.
public struct AudienceMember: Hashable, Sendable {
    /// Its place in the app's list of devices, by which the next ones are asked for.
    public let place: Int64

    /// Where notifications for it go.
    public let target: Target

    /// What it told of itself, as far as that was asked for.
    public let details: MemberDetails

    /// Takes a device's place, its target and what it told.
    public init(place: Int64, target: Target, details: MemberDetails = MemberDetails()) {
        self.place = place
        self.target = target
        self.details = details
    }
}

/// What a device told of itself that messages may differ by.
public struct MemberDetails: Hashable, Sendable {
    /// Which of it a store is to read; the less, the faster.
    public enum Depth: Int, Hashable, Sendable, Comparable {
        /// Nothing.
        case none

        /// The locale alone.
        case locale

        /// All of it.
        case all

        /// Orders by how much is read.
        public static func < (left: Depth, right: Depth) -> Bool { left.rawValue < right.rawValue }
    }

    /// The locale.
    public var locale: String?

    /// The user.
    public var userID: UserID?

    /// The tags.
    public var tags: [String: String]

    /// Takes what a device told.
    public init(locale: String? = nil, userID: UserID? = nil, tags: [String: String] = [:]) {
        self.locale = locale
        self.userID = userID
        self.tags = tags
    }

    /// Takes what belongs into a message from a device's profile.
    public init(_ profile: DeviceProfile) {
        self.init(locale: profile.locale, userID: profile.userID, tags: profile.tags)
    }
}

/// Which time zones the devices have that are read.
public enum ZoneFilter: Hashable, Sendable, Codable {
    /// Any, or none.
    case any

    /// One of these.
    case only([String])

    /// None of these, or none at all.
    case except([String])

    /// Whether a device of that time zone is read.
    public func admits(_ zone: String?) -> Bool {
        switch self {
        case .any: true
        case .only(let zones): zone.map { zone in zones.contains { $0.hasSameBytes(as: zone) } } ?? false
        case .except(let zones): zone.map { zone in !zones.contains { $0.hasSameBytes(as: zone) } } ?? true
        }
    }
}
