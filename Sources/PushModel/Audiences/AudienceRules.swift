// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A condition on one tag of a device; strings are compared byte by byte.
public struct TagCondition: Hashable, Sendable {
    /// How its value has to be.
    public enum Match: Hashable, Sendable {
        case exists
        case equals(String)
        case contains(String)
    }

    public var name: String
    public var match: Match

    public init(name: String, match: Match = .exists) {
        self.name = name
        self.match = match
    }

    public func holds(for tags: [String: String]) -> Bool {
        guard let value = tags.first(where: { $0.key.hasSameBytes(as: self.name) })?.value else { return false }
        switch self.match {
        case .exists: return true
        case .equals(let text): return value.hasSameBytes(as: text)
        case .contains(let text): return value.hasBytes(of: text)
        }
    }
}

/// A language, or a locale of it: `de` holds for `de`, `de-AT` and `DE_at`.
public struct LocaleRange: Hashable, Sendable {
    /// The language or locale in lower case, its parts divided by hyphens.
    public let folded: String

    /// Takes a locale in any spelling.
    public init(_ text: String) {
        self.folded = Self.fold(text)
    }

    public func contains(_ locale: String) -> Bool {
        (Self.fold(locale) + "-").hasSameBytes(asPrefix: self.folded + "-")
    }

    /// Locales that contain this one, the nearest first: `de-at`, `de`.
    public var ancestors: [String] {
        let parts = self.folded.split(separator: "-", omittingEmptySubsequences: false)
        return (0..<parts.count).map { parts.dropLast($0).joined(separator: "-") }
    }

    /// A locale as it is compared: ASCII letters in lower case, hyphens for underscores.
    static func fold(_ text: String) -> String {
        let bytes = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "_"): UInt8(ascii: "-")
            default: byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Versions of an app from one on and below another.
public struct AppVersionRange: Hashable, Sendable {
    /// The first version within, or `nil` for no beginning.
    public var atLeast: AppVersion?

    /// The first version behind, or `nil` for no end.
    public var below: AppVersion?

    /// Takes where the range begins and ends; one of both has to be there.
    public init(atLeast: AppVersion? = nil, below: AppVersion? = nil) {
        self.atLeast = atLeast
        self.below = below
    }

    public func contains(_ version: AppVersion) -> Bool {
        if let atLeast, version < atLeast { return false }
        if let below, below <= version { return false }
        return true
    }
}

/// A span of time to the millisecond: from a time on, and before another.
public struct DateRange: Hashable, Sendable {
    /// The first time within, or `nil` for no beginning.
    public var after: Date?

    /// The first time behind, or `nil` for no end.
    public var before: Date?

    /// Takes where the span begins and ends; one of both has to be there.
    public init(after: Date? = nil, before: Date? = nil) {
        self.after = after.map { Date(millisecondsSince1970: $0.millisecondsSince1970) }
        self.before = before.map { Date(millisecondsSince1970: $0.millisecondsSince1970) }
    }

    public func contains(_ time: Date) -> Bool {
        let time = time.millisecondsSince1970
        if let after, time < after.millisecondsSince1970 { return false }
        if let before, before.millisecondsSince1970 <= time { return false }
        return true
    }
}

/// The devices of an app that receive one publication.
///
/// These are subscribed to a topic, themselves or by their users, with one of the filter policies that match the
/// message; or their profile has the name of the topic. A deleted topic has none.
public struct TopicAudience: Hashable, Sendable {
    /// Represents subscriptions without a policy, and profiles, among ``policies``.
    public static let noPolicy: Int64 = 0

    public var topic: TopicID

    /// The numbers of the policies, in rising order; ``noPolicy`` for no policy.
    public var policies: [Int64]

    /// Takes a topic and the policies that count, in any order.
    public init(topic: TopicID, policies: some Sequence<Int64>) {
        self.topic = topic
        self.policies = Set(policies).sorted()
    }

    /// Whether topics in the profiles of devices count.
    public var countsProfiles: Bool { self.policies.first == Self.noPolicy }
}

/// Texts as databases compare them: byte by byte, with no regard to Unicode's equivalences.
extension String {
    func hasSameBytes(as other: String) -> Bool { self.utf8.elementsEqual(other.utf8) }

    func hasSameBytes(asPrefix other: String) -> Bool { self.utf8.starts(with: other.utf8) }

    func hasBytes(of other: String) -> Bool {
        let own = Array(self.utf8)
        let sought = Array(other.utf8)
        guard !sought.isEmpty else { return true }
        guard own.count >= sought.count else { return false }
        return (0...(own.count - sought.count)).contains { own[$0..<($0 + sought.count)].elementsEqual(sought) }
    }
}
