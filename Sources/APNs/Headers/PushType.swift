// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What kind of push it is: the value of `apns-push-type`.
///
/// Open: a type that is not known here survives a round trip and has no ``rule``.
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
    /// Tells a File Provider extension of changes (PushKit).
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

    /// What Apple asks of pushes of this type, or nil for an unknown type.
    public var rule: PushTypeRule? { PushTypeRule.table[self] }

    /// The largest payload in bytes; an unknown type has the limit of an ordinary push.
    public var maximumPayloadBytes: Int { self.rule?.maximumPayloadBytes ?? PayloadLimit.device }
}

extension PushType: CustomStringConvertible {
    /// The header value.
    public var description: String { self.rawValue }
}
