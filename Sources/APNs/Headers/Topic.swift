// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a push is about: the app's bundle identifier, with the suffix of the push type.
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
    /// - Throws: ``ValidationFailure`` for `apns-topic`.
    public init(_ text: String) throws(ValidationFailure) {
        guard Self.sizes.contains(text.utf8.count) else {
            throw ValidationFailure(
                field: "apns-topic",
                rule: "1...255 characters",
                value: "\(text.utf8.count) bytes"
            )
        }
        if let offset = text.utf8.enumerated().first(where: { !Self.isAllowed($0.element) })?.offset {
            throw ValidationFailure(
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
    /// - Throws: ``ValidationFailure`` for `apns-topic`.
    public init(bundleID: String, pushType: PushType) throws(ValidationFailure) {
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
