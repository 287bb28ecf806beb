// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Apple's dictionary of an ordinary push: the `aps` of the payload.
///
/// Values that are nil or false are omitted. Live Activities have different keys: ``LiveActivityEvent``.
/// See <https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification>.
public struct APS: Hashable, Sendable {
    /// `alert`: the displayed alert.
    public var alert: Alert?
    /// `badge`: the number on the app's icon, from 0 up; 0 removes it.
    public var badge: Int?
    /// `sound`: the sound.
    public var sound: Sound?
    /// `thread-id`: groups notifications.
    public var threadID: String?
    /// `category`: selects the actions that the app registered.
    public var category: String?
    /// `content-available`: wakes the app in the background.
    public var contentAvailable: Bool
    /// `mutable-content`: passes it through the app's service extension first.
    public var mutableContent: Bool
    /// `target-content-id`: the window that is brought forward.
    public var targetContentID: String?
    /// `interruption-level`: how much it may interrupt.
    public var interruptionLevel: InterruptionLevel?
    /// `relevance-score`: 0...1; the notification with the highest score is first in the summary.
    public var relevanceScore: Double?
    /// `filter-criteria`: whether a Focus filter shows it.
    public var filterCriteria: String?
    /// `content-changed`: reloads widgets or a control.
    public var contentChanged: Bool
    /// `url-args`: fills the URL of a Safari push notification.
    public var urlArguments: [String]?

    /// A dictionary of these parts; everything is left out unless given.
    public init(
        alert: Alert? = nil,
        badge: Int? = nil,
        sound: Sound? = nil,
        threadID: String? = nil,
        category: String? = nil,
        contentAvailable: Bool = false,
        mutableContent: Bool = false,
        targetContentID: String? = nil,
        interruptionLevel: InterruptionLevel? = nil,
        relevanceScore: Double? = nil,
        filterCriteria: String? = nil,
        contentChanged: Bool = false,
        urlArguments: [String]? = nil
    ) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
        self.threadID = threadID
        self.category = category
        self.contentAvailable = contentAvailable
        self.mutableContent = mutableContent
        self.targetContentID = targetContentID
        self.interruptionLevel = interruptionLevel
        self.relevanceScore = relevanceScore
        self.filterCriteria = filterCriteria
        self.contentChanged = contentChanged
        self.urlArguments = urlArguments
    }

    /// The dictionary of a background push: only `content-available`.
    public static let background = APS(contentAvailable: true)
    /// The dictionary of a push for widgets or controls: only `content-changed`.
    public static let contentChanged = APS(contentChanged: true)
}

/// The sound of an ordinary push: the `sound` of `aps`.
public enum Sound: Hashable, Sendable {
    /// A file in the app's bundle or in `Library/Sounds`, written as a string.
    case named(String)
    /// A sound that can break through the mute switch, written as an object.
    ///
    /// A critical one needs an entitlement that Apple grants. `volume`: 0...1; nil leaves it to the device.
    case object(name: String, critical: Bool, volume: Double?)

    /// The system's sound: `"default"`.
    public static let standard = Sound.named("default")

    /// A critical alert's sound.
    ///
    /// `volume`: 0 (silent) ... 1 (full).
    public static func critical(name: String = "default", volume: Double = 1) -> Sound {
        .object(name: name, critical: true, volume: volume)
    }
}

/// How much a notification may interrupt: the `interruption-level` of `aps`.
///
/// Open: a level that is not known here survives a round trip.
public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, Codable {
    /// The value in the payload.
    public var rawValue: String

    /// The level of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Adds it to the list without lighting the screen or playing a sound.
    public static let passive = InterruptionLevel(rawValue: "passive")
    /// Displays it immediately: the default of the system.
    public static let active = InterruptionLevel(rawValue: "active")
    /// Breaks through a Focus and the scheduled summary; needs an entitlement.
    public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
    /// Breaks through the mute switch and Do Not Disturb; needs an entitlement that Apple grants.
    public static let critical = InterruptionLevel(rawValue: "critical")
}
