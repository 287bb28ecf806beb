// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Merges what the user sees: a later notification with the same id replaces the one shown.
///
/// The value of `apns-collapse-id`: at most 64 bytes of UTF-8. It is also the identifier that the app sees on its
/// `UNNotificationRequest`. Control characters and spaces at either end are refused, since a header cannot carry them.
public struct CollapseID: RawRepresentable, Hashable, Sendable, Codable {
    /// The most bytes of UTF-8.
    public static let maximumBytes = 64

    /// The value in the header.
    public let rawValue: String

    /// A collapse id of this text.
    /// - Throws: ``ValidationFailure`` for `apns-collapse-id`.
    public init(_ text: String) throws(ValidationFailure) {
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

    private static func failure(rule: String, value: String) -> ValidationFailure {
        ValidationFailure(field: "apns-collapse-id", rule: rule, value: value)
    }
}

extension CollapseID: CustomStringConvertible {
    /// The header value.
    public var description: String { self.rawValue }
}
