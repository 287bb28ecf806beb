// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// The message of a campaign: common headers, and a payload template for each locale.
public struct CampaignMessage: Hashable, Sendable, Codable {
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

    /// The template for devices whose locale has no variant.
    public var fallback: MessageTemplate

    /// The templates by language or locale, in lower case with hyphens.
    public var variants: [String: MessageTemplate]

    /// Describes a message; the names of variants may be in any spelling.
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

    /// The attributes of a device that its message needs.
    public var depth: PersonalizationAttributes.Depth {
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

    /// The headers of notifications to an app's devices at a time.
    ///
    /// - Throws: `InvalidValueError` if the app's ID is not a topic.
    public func headers(for app: AppID, sentAt: Date) throws(InvalidValueError) -> NotificationHeaders {
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
                return APNsExpiration(
                    rawValue: (sentAt.millisecondsSince1970.addingClamping(999) / 1000).addingClamping(Int64(seconds))
                )
            },
            collapseID: self.collapseID
        )
    }
}

extension CampaignMessage {
    /// Renders the payloads of devices.
    ///
    /// - Returns: the devices grouped by payload, ordered by the first device of each group.
    public func compose(_ members: [AudienceDevice]) -> [RenderedBatch] {
        var composer = MessageRenderer(self)
        for member in members { composer.add(member) }
        return composer.parts
    }
}

/// Groups devices by payload.
///
/// Devices of one variant without personal values share a payload. All devices with personal payloads form one group,
/// each with a separate payload.
struct MessageRenderer {
    private enum Kind: Hashable {
        case shared(APNsPayload)
        case personal
        case failed(FailureCode)
    }

    private struct Choice {
        let template: MessageTemplate
        /// The part of those who share the template's payload; `nil` where it is personal.
        let part: Int?
    }

    private let message: CampaignMessage
    private let limit: Int
    private var places: [Kind: Int] = [:]
    private var choices: [String?: Choice] = [:]
    /// The parts, in the order in which the first device of each was added.
    private(set) var parts: [RenderedBatch] = []

    init(_ message: CampaignMessage) {
        self.message = message
        self.limit = message.pushType.maximumPayloadBytes
    }

    mutating func add(_ member: AudienceDevice) {
        let choice = self.choice(for: member.details.locale)
        if let part = choice.part { return self.parts[part].targets.append(member.target) }
        switch choice.template.render(member.details, limit: self.limit) {
        case .failed(let code):
            self.parts[self.failed(code, choice.template)].targets.append(member.target)
        case .payload(let payload):
            let place = self.place(.personal, payload: .distinct(PayloadList()))
            guard case .distinct(var list) = self.parts[place].payload else { return }
            // Emptied meanwhile, so that the list is not copied.
            self.parts[place].payload = .distinct(PayloadList())
            list.append(payload)
            self.parts[place].payload = .distinct(list)
            self.parts[place].targets.append(member.target)
        }
    }

    private mutating func choice(for locale: String?) -> Choice {
        if let known = self.choices[locale] { return known }
        let template = self.message.template(for: locale)
        let choice = Choice(template: template, part: template.isPersonal ? nil : self.sharedPart(template))
        self.choices[locale] = choice
        return choice
    }

    private mutating func sharedPart(_ template: MessageTemplate) -> Int {
        switch template.render(PersonalizationAttributes(), limit: self.limit) {
        case .payload(let payload): self.place(.shared(payload), payload: .shared(payload))
        case .failed(let code): self.failed(code, template)
        }
    }

    private mutating func failed(_ code: FailureCode, _ template: MessageTemplate) -> Int {
        self.place(.failed(code), payload: .shared(template.source), failure: code)
    }

    private mutating func place(_ kind: Kind, payload: BatchPayload, failure: FailureCode? = nil) -> Int {
        if let place = self.places[kind] { return place }
        self.places[kind] = self.parts.count
        self.parts.append(RenderedBatch(payload: payload, failure: failure, targets: TargetList()))
        return self.parts.count - 1
    }
}
