// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A device of an audience, with the values that its message needs.
public struct AudienceDevice: Hashable, Sendable {
    /// Its cursor in the app's list of devices, which selects the next page.
    public let place: Int64

    public let target: Target

    /// The requested attributes of the device.
    public let details: PersonalizationAttributes

    public init(place: Int64, target: Target, details: PersonalizationAttributes = PersonalizationAttributes()) {
        self.place = place
        self.target = target
        self.details = details
    }
}

/// The attributes of a device that messages can contain.
public struct PersonalizationAttributes: Hashable, Sendable {
    /// Which of it a store is to read; the less, the faster.
    public enum Depth: Int, Hashable, Sendable, Comparable {
        case none
        case locale
        case all

        public static func < (left: Depth, right: Depth) -> Bool { left.rawValue < right.rawValue }
    }

    public var locale: String?
    public var userID: UserID?
    public var tags: [String: String]

    public init(locale: String? = nil, userID: UserID? = nil, tags: [String: String] = [:]) {
        self.locale = locale
        self.userID = userID
        self.tags = tags
    }

    public init(_ profile: DeviceProfile) {
        self.init(locale: profile.locale, userID: profile.userID, tags: profile.tags)
    }
}

/// Which time zones the devices have that are read.
public enum TimeZoneFilter: Hashable, Sendable, Codable {
    /// Any, or none.
    case any

    case only([String])

    /// None of these, or none at all.
    case except([String])

    public func admits(_ zone: String?) -> Bool {
        switch self {
        case .any: true
        case .only(let zones): zone.map { zone in zones.contains { $0.hasSameBytes(as: zone) } } ?? false
        case .except(let zones): zone.map { zone in !zones.contains { $0.hasSameBytes(as: zone) } } ?? true
        }
    }
}
