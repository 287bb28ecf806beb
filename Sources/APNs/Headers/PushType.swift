// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The type of a push: the value of `apns-push-type`.
///
/// Extensible: an unknown type is kept and has no ``rule``.
public struct PushType: RawRepresentable, Hashable, Sendable, Codable {
    /// The value in the header.
    public var rawValue: String

    /// The type of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Shows an alert, plays a sound or sets the badge.
    public static let alert = PushType(rawValue: "alert")
    /// Wakes the app in the background; shows nothing.
    public static let background = PushType(rawValue: "background")
    /// Announces an incoming call (PushKit).
    public static let voip = PushType(rawValue: "voip")
    /// Refreshes a watchOS complication (PushKit).
    public static let complication = PushType(rawValue: "complication")
    /// Notifies a File Provider extension of changes (PushKit).
    public static let fileprovider = PushType(rawValue: "fileprovider")
    /// Asks a location push service extension for the position.
    public static let location = PushType(rawValue: "location")
    /// Starts, updates or ends a Live Activity.
    public static let liveactivity = PushType(rawValue: "liveactivity")
    /// Announces a Push to Talk transmission.
    public static let pushtotalk = PushType(rawValue: "pushtotalk")
    /// Reloads widgets.
    public static let widgets = PushType(rawValue: "widgets")
    /// Reloads a control.
    public static let controls = PushType(rawValue: "controls")
    /// Asks a managed device to contact its MDM server.
    public static let mdm = PushType(rawValue: "mdm")

    /// Every type that Apple documents.
    public static let known: [PushType] = [
        .alert, .background, .voip, .complication, .fileprovider, .location, .liveactivity, .pushtotalk, .widgets,
        .controls, .mdm,
    ]

    /// Apple's requirements for pushes of this type, or nil for an unknown type.
    public var rule: PushTypeRequirements? { PushTypeRequirements.table[self] }

    /// The largest payload in bytes; an unknown type has the limit of an ordinary push.
    public var maximumPayloadBytes: Int { self.rule?.maximumPayloadBytes ?? PayloadLimit.device }
}

extension PushType: CustomStringConvertible {
    /// The header value.
    public var description: String { self.rawValue }
}

/// Apple's requirements for one push type.
///
/// From <https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns>
/// and the pages of each framework.
public struct PushTypeRequirements: Hashable, Sendable {
    /// The suffix of the topic after the bundle ID, with its leading dot; empty for none.
    public var topicSuffix: String
    /// The priorities that may be sent.
    ///
    /// A type with a single one must name it, since APNs assumes 10.
    public var priorities: Set<Priority>
    /// The authentication methods of the provider.
    public var trust: ProviderAuthentication
    /// The largest payload in bytes.
    public var maximumPayloadBytes: Int
    /// The expiration that Apple advises for the type, or nil if it advises none.
    public var advisedExpiration: APNsExpiration?

    init(
        topicSuffix: String = "",
        priorities: Set<Priority> = Set(Priority.known),
        trust: ProviderAuthentication = .any,
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

    static let table: [PushType: PushTypeRequirements] = [
        .alert: PushTypeRequirements(),
        .background: PushTypeRequirements(priorities: [.powerConsiderate]),
        .voip: PushTypeRequirements(
            topicSuffix: ".voip",
            trust: .certificateListingTopic,
            maximumPayloadBytes: PayloadLimit.voip,
            advisedExpiration: .once
        ),
        .complication: PushTypeRequirements(topicSuffix: ".complication", trust: .certificateListingTopic),
        .fileprovider: PushTypeRequirements(topicSuffix: ".pushkit.fileprovider", trust: .tokenOnly),
        .location: PushTypeRequirements(
            topicSuffix: ".location-query",
            priorities: [.immediate, .powerConsiderate],
            trust: .tokenOnly
        ),
        .liveactivity: PushTypeRequirements(
            topicSuffix: ".push-type.liveactivity",
            priorities: [.immediate, .powerConsiderate],
            trust: .tokenOnly
        ),
        .pushtotalk: PushTypeRequirements(
            topicSuffix: ".voip-ptt",
            priorities: [.immediate],
            trust: .certificateListingTopic,
            advisedExpiration: .once
        ),
        .widgets: PushTypeRequirements(topicSuffix: ".push-type.widgets", trust: .tokenOnly),
        .controls: PushTypeRequirements(
            topicSuffix: ".push-type.controls",
            trust: .tokenOnly,
            advisedExpiration: .once
        ),
        .mdm: PushTypeRequirements(trust: .certificateListingTopic),
    ]
}
