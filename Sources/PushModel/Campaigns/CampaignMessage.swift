// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a campaign sends: the headers that all have in common, and a text for each locale.
public struct CampaignMessage: Hashable, Sendable, Codable {
    /// The push type.
    public var pushType: PushType

    /// The priority; `nil` leaves it to APNs.
    public var priority: Priority?

    /// How many seconds APNs keeps a notification for a device that is offline, from when it is sent.
    ///
    /// 0 tries once; `nil` leaves it to APNs, which keeps it for up to 30 days.
    public var timeToLive: Int?

    /// Notifications of the same id replace one another on the device.
    public var collapseID: CollapseID?

    /// The header `apns-topic`, where it is not the one of the app and the push type.
    public var topic: Topic?

    /// What devices receive for whose locale there is no variant.
    public var fallback: MessageTemplate

    /// What devices of a language or locale receive, by that in lower case with hyphens.
    public var variants: [String: MessageTemplate]

    /// Describes a message.
    ///
    /// - Parameters:
    ///   - pushType: the push type.
    ///   - priority: the priority, or `nil`.
    ///   - timeToLive: how many seconds APNs keeps it, or `nil`.
    ///   - collapseID: by which notifications replace one another, or `nil`.
    ///   - topic: the header `apns-topic`, where it is not the one of the app and the push type.
    ///   - fallback: what devices receive for whose locale there is no variant.
    ///   - variants: what devices of a language or locale receive; the names may be in any spelling.
    public init(
        pushType: PushType = .alert,
        priority: Priority? = nil,
        timeToLive: Int? = nil,
        collapseID: CollapseID? = nil,
        topic: Topic? = nil,
        fallback: MessageTemplate,
        variants: [String: MessageTemplate] = [:]
    ) {
        self.pushType = pushType
        self.priority = priority
        self.timeToLive = timeToLive
        self.collapseID = collapseID
        self.topic = topic
        self.fallback = fallback
        self.variants = Dictionary(variants.map { (LocaleRange($0.key).folded, $0.value) }) { first, _ in first }
    }

    /// What has to be known of a device to make its message.
    public var depth: MemberDetails.Depth {
        if self.isPersonal { return .all }
        return self.variants.isEmpty ? .none : .locale
    }

    /// Whether devices of the same locale may receive different payloads.
    public var isPersonal: Bool { self.fallback.isPersonal || self.variants.values.contains(where: \.isPersonal) }

    /// The template for a locale: the nearest variant, or the fallback.
    public func template(for locale: String?) -> MessageTemplate {
        guard let locale, !self.variants.isEmpty else { return self.fallback }
        return LocaleRange(locale).ancestors.lazy.compactMap { self.variants[$0] }.first ?? self.fallback
    }

    /// The headers of what is sent to an app's devices at a time.
    ///
    /// - Throws: `ValidationFailure` when the app's id is no topic.
    public func headers(for app: AppID, sentAt: Date) throws(ValidationFailure) -> NotificationHeaders {
        let topic: Topic
        if let own = self.topic {
            topic = own
        } else {
            topic = try Topic(bundleID: app.rawValue, pushType: self.pushType)
        }
        return NotificationHeaders(
            topic: topic,
            pushType: self.pushType,
            priority: self.priority,
            expiration: self.timeToLive.map { seconds in
                if seconds == 0 { return .once }
                // Not a part of a second less.
                return APNsExpiration(rawValue: (sentAt.millisecondsSince1970 + 999) / 1000 + Int64(seconds))
            },
            collapseID: self.collapseID
        )
    }
}

extension CampaignMessage {
    /// Makes the payloads of devices.
    ///
    /// - Parameter members: the devices.
    /// - Returns: the devices by what they receive, in the order in which the first of each stands among them.
    public func compose(_ members: [AudienceMember]) -> [MessagePart] {
        var composer = MessageComposer(self)
        for member in members { composer.add(member) }
        return composer.parts
    }
}
