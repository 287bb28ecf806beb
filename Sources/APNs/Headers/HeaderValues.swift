// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The topic of a push: the app's bundle ID, with the suffix of the push type.
///
/// The value of `apns-topic`.
///
/// 1...255 ASCII letters, digits, dots, dashes and underscores.
public struct Topic: RawRepresentable, Hashable, Sendable, Codable {
    /// How many characters a topic may have.
    public static let sizes = 1...255

    /// The value in the header.
    public let rawValue: String

    /// The topic of this text.
    /// - Throws: ``InvalidValueError`` for `apns-topic`.
    public init(_ text: String) throws(InvalidValueError) {
        guard Self.sizes.contains(text.utf8.count) else {
            throw InvalidValueError(
                field: "apns-topic",
                rule: "1...255 characters",
                value: "\(text.utf8.count) bytes"
            )
        }
        if let offset = text.utf8.enumerated().first(where: { !Self.isAllowed($0.element) })?.offset {
            throw InvalidValueError(
                field: "apns-topic",
                rule: "ASCII letters, digits, '.', '-' and '_'",
                value: "another character at offset \(offset)"
            )
        }
        self.rawValue = text
    }

    /// The topic for pushes of a type to an app: the bundle identifier and the type's suffix.
    ///
    /// An unknown type has no suffix. For `mdm` the "bundle identifier" is the UID of the MDM push certificate.
    /// - Throws: ``InvalidValueError`` for `apns-topic`.
    public init(bundleID: String, pushType: PushType) throws(InvalidValueError) {
        try self.init(bundleID + (pushType.rule?.topicSuffix ?? ""))
    }

    /// The topic of this text, or nil where ``init(_:)`` throws.
    public init?(rawValue: String) {
        guard let topic = try? Topic(rawValue) else { return nil }
        self = topic
    }

    /// The app's bundle identifier: the topic without the suffix of `pushType`, or nil if it lacks that suffix.
    public func bundleID(for pushType: PushType) -> String? {
        let suffix = pushType.rule?.topicSuffix ?? ""
        guard self.rawValue.hasSuffix(suffix), self.rawValue.utf8.count > suffix.utf8.count else { return nil }
        return String(self.rawValue.dropLast(suffix.count))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension Topic: CustomStringConvertible {
    /// The header value.
    public var description: String { self.rawValue }
}

/// How eagerly APNs delivers: the value of `apns-priority`.
///
/// Open: a number that is not known here survives a round trip.
public struct Priority: RawRepresentable, Hashable, Sendable, Codable {
    /// The number in the header.
    public var rawValue: Int

    /// The priority of this number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 10: immediately.
    ///
    /// The default of APNs.
    public static let immediate = Priority(rawValue: 10)
    /// 5: with regard to the device's power; may be grouped, delayed or dropped.
    public static let powerConsiderate = Priority(rawValue: 5)
    /// 1: like 5, and never wakes the device.
    public static let neverWake = Priority(rawValue: 1)

    /// The three priorities that APNs knows, highest first.
    public static let known: [Priority] = [.immediate, .powerConsiderate, .neverWake]

    /// The priority that a header value names, or nil if it is no number.
    public init?(headerValue: some StringProtocol) {
        guard let number = Int(headerValue) else { return nil }
        self.rawValue = number
    }
}

extension Priority: Comparable, CustomStringConvertible {
    /// Orders by urgency, the least urgent first.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }

    /// The header value.
    public var description: String { String(self.rawValue) }
}

/// Until when APNs keeps a notification that it could not deliver: the value of `apns-expiration`.
///
/// Unit: seconds since 1970-01-01 00:00 UTC. Without the header APNs keeps it for up to 30 days.
public struct APNsExpiration: RawRepresentable, Hashable, Sendable, Codable {
    /// Seconds since 1970; 0 means one attempt and no storage.
    public var rawValue: Int64

    /// The expiration at this second; a negative one is refused by ``NotificationHeaders/validate(payloadSize:)``.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// One attempt, never stored.
    public static let once = APNsExpiration(rawValue: 0)

    /// The expiration that a header value names, or nil unless it is a number of seconds from 0 up.
    public init?(headerValue: some StringProtocol) {
        guard let seconds = Int64(headerValue), seconds >= 0 else { return nil }
        self.rawValue = seconds
    }
}

extension APNsExpiration: CustomStringConvertible {
    /// The header value.
    public var description: String { String(self.rawValue) }
}

/// Groups notifications for the user: a later notification with the same ID replaces the displayed one.
///
/// The value of `apns-collapse-id`: at most 64 bytes of UTF-8. It is also the identifier of the app's
/// `UNNotificationRequest`. Control characters and spaces at either end are invalid, because a header cannot have them.
public struct CollapseID: RawRepresentable, Hashable, Sendable, Codable {
    /// The most bytes of UTF-8.
    public static let maximumBytes = 64

    /// The value in the header.
    public let rawValue: String

    /// A collapse id of this text.
    /// - Throws: ``InvalidValueError`` for `apns-collapse-id`.
    public init(_ text: String) throws(InvalidValueError) {
        let size = text.utf8.count
        guard size <= Self.maximumBytes else {
            throw Self.failure(rule: "at most 64 bytes of UTF-8", value: "\(size) bytes")
        }
        if let offset = text.utf8.enumerated().first(where: { $0.element < 0x20 || $0.element == 0x7F })?.offset {
            throw Self.failure(rule: "no control characters", value: "one at offset \(offset)")
        }
        guard text.utf8.first != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: " ") else {
            throw Self.failure(rule: "no space at either end", value: "one of \(size) bytes")
        }
        self.rawValue = text
    }

    /// A collapse id of this text, or nil where ``init(_:)`` throws.
    public init?(rawValue: String) {
        guard let id = try? CollapseID(rawValue) else { return nil }
        self = id
    }

    private static func failure(rule: String, value: String) -> InvalidValueError {
        InvalidValueError(field: "apns-collapse-id", rule: rule, value: value)
    }
}

extension CollapseID: CustomStringConvertible {
    /// The header value.
    public var description: String { self.rawValue }
}
