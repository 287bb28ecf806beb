// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that happened behind the wire and that a tester may want to know: what became of a notification, what an
/// app was told, what a person did.
public struct SimulatorEvent: Sendable, Hashable {
    /// The place in the order of events, from 1; 0 for one that nobody read along when it happened.
    ///
    /// A gap means that the reader was too slow and missed some.
    public var sequence: UInt64
    /// When it happened, in simulated time.
    public var at: Date
    /// What happened.
    public var kind: Kind
    /// The device that it happened to or on.
    public var device: VirtualDeviceID?
    /// The app that it concerns.
    public var bundleID: String?
    /// The notification that it concerns.
    public var apnsID: APNsID?
    /// Why, as a stable word; see ``DiscardCause`` for discarded notifications.
    public var cause: String?
    /// More about it, by names that depend on the kind.
    public var details: [String: String]

    /// Something that happened.
    public init(
        sequence: UInt64 = 0,
        at: Date,
        kind: Kind,
        device: VirtualDeviceID? = nil,
        bundleID: String? = nil,
        apnsID: APNsID? = nil,
        cause: String? = nil,
        details: [String: String] = [:]
    ) {
        self.sequence = sequence
        self.at = at
        self.kind = kind
        self.device = device
        self.bundleID = bundleID
        self.apnsID = apnsID
        self.cause = cause
        self.details = details
    }
}

extension SimulatorEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case sequence, at, kind, device, bundleID, apnsID, cause, details
    }

    /// Reads an event; absent details are none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sequence: try container.decode(UInt64.self, forKey: .sequence),
            at: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: .at)),
            kind: try container.decode(Kind.self, forKey: .kind),
            device: try container.decodeIfPresent(VirtualDeviceID.self, forKey: .device),
            bundleID: try container.decodeIfPresent(String.self, forKey: .bundleID),
            apnsID: try container.decodeIfPresent(APNsID.self, forKey: .apnsID),
            cause: try container.decodeIfPresent(String.self, forKey: .cause),
            details: try container.decodeIfPresent([String: String].self, forKey: .details) ?? [:]
        )
    }

    /// Writes the event; the time as seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.sequence, forKey: .sequence)
        try container.encode(self.at.timeIntervalSince1970, forKey: .at)
        try container.encode(self.kind, forKey: .kind)
        try container.encodeIfPresent(self.device, forKey: .device)
        try container.encodeIfPresent(self.bundleID, forKey: .bundleID)
        try container.encodeIfPresent(self.apnsID, forKey: .apnsID)
        try container.encodeIfPresent(self.cause, forKey: .cause)
        if !self.details.isEmpty { try container.encode(self.details, forKey: .details) }
    }
}
