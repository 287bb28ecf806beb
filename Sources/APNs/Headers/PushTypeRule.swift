// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What Apple asks of one type of push.
///
/// From <https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns>
/// and the pages of each framework.
public struct PushTypeRule: Hashable, Sendable {
    /// What follows the bundle identifier in the topic, with its leading dot; empty for none.
    public var topicSuffix: String
    /// The priorities that may be sent.
    ///
    /// A type with a single one must name it, since APNs assumes 10.
    public var priorities: Set<Priority>
    /// By what the provider may prove itself.
    public var trust: ProviderTrust
    /// The largest payload in bytes.
    public var maximumPayloadBytes: Int
    /// The expiration that Apple advises for the type, or nil if it advises none.
    public var advisedExpiration: APNsExpiration?

    init(
        topicSuffix: String = "",
        priorities: Set<Priority> = Set(Priority.known),
        trust: ProviderTrust = .any,
        maximumPayloadBytes: Int = PayloadLimit.device,
        advisedExpiration: APNsExpiration? = nil
    ) {
        self.topicSuffix = topicSuffix
        self.priorities = priorities
        self.trust = trust
        self.maximumPayloadBytes = maximumPayloadBytes
        self.advisedExpiration = advisedExpiration
    }

    /// The priority that every push of the type must carry, or nil if there is a choice.
    public var requiredPriority: Priority? { self.priorities.count == 1 ? self.priorities.first : nil }

    static let table: [PushType: PushTypeRule] = [
        .alert: PushTypeRule(),
        .background: PushTypeRule(priorities: [.powerConsiderate]),
        .voip: PushTypeRule(
            topicSuffix: ".voip",
            trust: .certificateListingTopic,
            maximumPayloadBytes: PayloadLimit.voip,
            advisedExpiration: .once
        ),
        .complication: PushTypeRule(topicSuffix: ".complication", trust: .certificateListingTopic),
        .fileprovider: PushTypeRule(topicSuffix: ".pushkit.fileprovider", trust: .tokenOnly),
        .location: PushTypeRule(
            topicSuffix: ".location-query",
            priorities: [.immediate, .powerConsiderate],
            trust: .tokenOnly
        ),
        .liveactivity: PushTypeRule(
            topicSuffix: ".push-type.liveactivity",
            priorities: [.immediate, .powerConsiderate],
            trust: .tokenOnly
        ),
        .pushtotalk: PushTypeRule(
            topicSuffix: ".voip-ptt",
            priorities: [.immediate],
            trust: .certificateListingTopic,
            advisedExpiration: .once
        ),
        .widgets: PushTypeRule(topicSuffix: ".push-type.widgets", trust: .tokenOnly),
        .controls: PushTypeRule(
            topicSuffix: ".push-type.controls",
            trust: .tokenOnly,
            advisedExpiration: .once
        ),
        .mdm: PushTypeRule(trust: .certificateListingTopic),
    ]
}
