// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel
package import PushStore
package import SNSProtocol

/// A request to publish to a topic.
package struct PublicationDraft: Sendable {
    package var topic: TopicName

    /// The app whose subscribers alone get it; `nil` for all, those of URLs included.
    package var app: AppID?

    /// The attributes of the message, for filter policies.
    package var attributes: [String: MessageAttribute]

    /// The message itself, for filter policies that look into it; those match nothing that is no JSON object.
    package var body: String

    /// Returns the messages for the subscribers of apps.
    ///
    /// An app may occur several times, for different subscribers, or not at all. It is called once, with the apps that
    /// have the topic, in the order of their IDs.
    package var contents: @Sendable (_ apps: [AppID]) async throws -> [AppMessage]

    /// Returns the stored message for HTTP subscriptions, or `nil` to send them nothing.
    ///
    /// It is called once if there are any.
    package var urlContent: (@Sendable () throws -> [UInt8])?

    package init(
        topic: TopicName,
        app: AppID? = nil,
        attributes: [String: MessageAttribute] = [:],
        body: String,
        urlContent: (@Sendable () throws -> [UInt8])? = nil,
        contents: @escaping @Sendable (_ apps: [AppID]) async throws -> [AppMessage]
    ) {
        self.topic = topic
        self.app = app
        self.attributes = attributes
        self.body = body
        self.urlContent = urlContent
        self.contents = contents
    }
}

/// The result of a publication.
package struct TopicPublishResult: Hashable, Sendable {
    /// The notifications and campaigns of each app, in the order of the contents; none for apps without matching
    /// subscribers.
    package var parts: [Publication.Part]

    /// To how many URLs it is posted.
    package var urls: Int

    /// To how many URLs it is not posted, since as much waits for them as may.
    package var fullQueues = 0

    /// The message ID for HTTP subscriptions: that of the first notification, or a new one; `nil` without HTTP
    /// subscriptions.
    package var message: NotificationID?

    /// The IDs of the notifications, which identify them in requests; that of a campaign is also the ID of its
    /// notification.
    package var notifications: [NotificationID] {
        self.parts.map { part in
            switch part {
            case .notification(let notification, _): notification.id
            case .campaign(let campaign): campaign.id.notification
            }
        }
    }
}

extension APNsPayload {
    /// The same payload without double braces, which would be placeholders.
    fileprivate func withoutPlaces() throws(InvalidValueError) -> APNsPayload {
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

/// The message to one app's subscribers of a topic.
package struct AppMessage: Hashable, Sendable {
    package var app: AppID

    /// Which of its subscribers; `nil` for all.
    package var audience: Audience?

    package var message: CampaignMessage

    /// The time from which nothing more is sent; `nil` means never.
    package var expiresAt: Date?

    /// The lane of messages to few subscribers; `nil` selects it by their number.
    ///
    /// Messages to many subscribers become campaigns in the bulk lane.
    package var lane: Lane?

    /// Creates a message with placeholders.
    package init(
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
    /// The expiration of the headers counts from `now`.
    ///
    /// - Throws: `InvalidValueError` for the first of Apple's limits that the headers or the payload, as it is written
    ///   then, break.
    package init(
        app: AppID,
        audience: Audience? = nil,
        headers: NotificationHeaders,
        payload: APNsPayload,
        expiresAt: Date? = nil,
        lane: Lane? = nil,
        now: Date
    ) throws(InvalidValueError) {
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
