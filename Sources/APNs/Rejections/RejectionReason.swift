// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why APNs rejected a request: the `reason` of its answer.
///
/// Open: a reason that is not known here survives a round trip and has no ``entry``.
/// See <https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns>.
public struct RejectionReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The reason as it stands on the wire.
    public var rawValue: String

    /// The reason of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Stands for an answer that names no reason; not a word of Apple's.
    public static let unknown = RejectionReason(rawValue: "Unknown")

    /// What Apple says of the reason, or nil for an unknown one.
    public var entry: ReasonEntry? { Self.table[self] }
}

extension RejectionReason: CustomStringConvertible {
    /// The reason as it stands on the wire.
    public var description: String { self.rawValue }
}
