// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How the legacy binary gateway behaves.
public struct LegacySwitches: Sendable, Hashable {
    /// How long after a bad notification its error packet comes; what arrives until then is discarded as well.
    ///
    /// Unit: seconds of real time. Default: 0. Senders saw 0.3 to 0.7.
    public var errorDelay: Double = 0
    /// Whether error packets are sent at all; without them the connection is closed and says nothing.
    ///
    /// Default: `true`.
    public var sendsErrorPackets = true
    /// The largest payload of commands 0 and 1.
    ///
    /// Unit: bytes. Default: 256.
    public var simplePayload = 256
    /// The largest payload of command 2.
    ///
    /// Unit: bytes. Default: 2,048.
    public var framedPayload = 2048
    /// Whether a payload that is no JSON object is a processing error (status 1).
    ///
    /// Default: `true`.
    public var refusesNonJSON = true

    /// Switches in their default positions.
    public init() {}
}

extension LegacySwitches {
    /// The group's part of the catalogue.
    static let catalogue: [SimulatorSwitch] = [
        .number(
            "legacy.errorDelay",
            \.legacy.errorDelay,
            0...60,
            "seconds until the error packet of a bad notification"
        ),
        .flag("legacy.sendsErrorPackets", \.legacy.sendsErrorPackets, "whether error packets are sent at all"),
        .integer("legacy.simplePayload", \.legacy.simplePayload, 1...65_535, "largest payload of commands 0 and 1"),
        .integer("legacy.framedPayload", \.legacy.framedPayload, 1...65_535, "largest payload of command 2"),
        .flag("legacy.refusesNonJSON", \.legacy.refusesNonJSON, "whether a payload that is no JSON object is status 1"),
    ]
}
