// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What one app's subscribers of a topic receive of a publication.
public struct AppContent: Hashable, Sendable {
    /// The app.
    public var app: AppID

    /// Which of its subscribers; `nil` for all.
    public var audience: Audience?

    /// What they receive.
    public var message: CampaignMessage

    /// The time from which nothing more is sent; `nil` means never.
    public var expiresAt: Date?

    /// The queue of what goes to a few at once; `nil` leaves it to how many they are.
    ///
    /// What goes to many is planned, in bulk.
    public var lane: Lane?

    /// Takes what is sent, with its places for what differs from device to device.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - audience: which of its subscribers; `nil` for all.
    ///   - message: what they receive.
    ///   - expiresAt: the time from which nothing more is sent, or `nil`.
    ///   - lane: the queue, or `nil`.
    public init(
        app: AppID,
        audience: Audience? = nil,
        message: CampaignMessage,
        expiresAt: Date? = nil,
        lane: Lane? = nil
    ) {
        self.app = app
        self.audience = audience
        self.message = message
        self.expiresAt = expiresAt
        self.lane = lane
    }

    /// Takes a payload that all receive as it is, braces included.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - audience: which of its subscribers; `nil` for all.
    ///   - headers: the headers; their expiration counts from `now`.
    ///   - payload: the payload; two braces side by side in a text are written with `\u007b`, which means the same.
    ///   - expiresAt: the time from which nothing more is sent, or `nil`.
    ///   - lane: the queue, or `nil`.
    ///   - now: the time of the publication.
    /// - Throws: `ValidationFailure` for the first of Apple's limits that the headers or the payload, as it is written then,
    ///   break.
    public init(
        app: AppID,
        audience: Audience? = nil,
        headers: NotificationHeaders,
        payload: APNsPayload,
        expiresAt: Date? = nil,
        lane: Lane? = nil,
        now: Date
    ) throws(ValidationFailure) {
        let payload = try payload.withoutPlaces()
        if let failure = headers.validate(payloadSize: payload.size).first { throw failure }
        let template = try MessageTemplate(payload)
        let message = CampaignMessage(
            pushType: headers.pushType,
            priority: headers.priority,
            timeToLive: headers.expiration.map { expiration in
                Int(max(0, expiration.rawValue - now.millisecondsSince1970 / 1000))
            },
            collapseID: headers.collapseID,
            topic: headers.topic,
            fallback: template
        )
        self.init(app: app, audience: audience, message: message, expiresAt: expiresAt, lane: lane)
    }
}

extension APNsPayload {
    /// The same payload without two braces side by side, which would stand for what differs from device to device.
    fileprivate func withoutPlaces() throws(ValidationFailure) -> APNsPayload {
        let brace = UInt8(ascii: "{")
        guard zip(self.bytes, self.bytes.dropFirst()).contains(where: { $0 == brace && $1 == brace }) else {
            return self
        }
        // Outside of a text no JSON has two braces in a row: the first of two is always within one.
        var bytes: [UInt8] = []
        for (place, byte) in self.bytes.enumerated() {
            if byte == brace, place + 1 < self.bytes.count, self.bytes[place + 1] == brace {
                bytes += Array(#"\u007b"#.utf8)
            } else {
                bytes.append(byte)
            }
        }
        return try APNsPayload(json: bytes)
    }
}
