// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A broadcast channel as APNs names it: base64 text, random, and never given out twice.
///
/// Apple fixes no size: 24 characters are seen, and up to 100 are taken here. A channel belongs to one app in one
/// environment; the identifier itself does not say which.
/// See <https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns>.
public struct APNsChannelID: RawRepresentable, Hashable, Sendable, Codable {
    /// How many characters an identifier may have.
    public static let sizes = 1...100

    /// The text in `apns-channel-id` and in `input-push-channel`.
    public let rawValue: String

    /// The identifier of this text.
    /// - Throws: ``InvalidValueError`` for `apns-channel-id`.
    public init(_ text: String) throws(InvalidValueError) {
        let bytes = text.utf8
        guard Self.sizes.contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else {
            throw InvalidValueError(
                field: "apns-channel-id",
                rule: "1...100 characters of base64, as APNs gave them",
                value: Self.sizes.contains(bytes.count) ? "other characters" : "\(bytes.count) bytes"
            )
        }
        self.rawValue = text
    }

    /// The identifier of this text, or nil where ``init(_:)`` throws.
    public init?(rawValue: String) {
        guard let id = try? APNsChannelID(rawValue) else { return nil }
        self = id
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension APNsChannelID: CustomStringConvertible {
    /// The text.
    public var description: String { self.rawValue }
}

/// The messages that a broadcast channel stores for offline devices: `message-storage-policy`.
///
/// It is set when the channel is created and never changes.
public enum MessageStoragePolicy: Int, Hashable, Sendable, Codable, CaseIterable {
    /// No message: who is offline misses it. APNs takes more broadcasts of such a channel, and only with expiration 0.
    case noMessage = 0
    /// The most recent message, until it expires and for at most ``maximumStorage``.
    case mostRecentMessage = 1

    /// How long APNs keeps the most recent message at most: 8 hours.
    public static let maximumStorage: Duration = .seconds(8 * 3600)
}
