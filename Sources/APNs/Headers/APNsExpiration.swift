// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
