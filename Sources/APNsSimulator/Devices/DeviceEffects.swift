// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The effects of a change of a device: entries to publish and events to schedule.
struct DeviceEffects: Sendable {
    /// An entry to publish.
    struct Note: Sendable {
        var kind: SimulatorEvent.Kind
        var bundleID: String?
        var apnsID: APNsID?
        var cause: String?
        var details: [String: String] = [:]
    }

    private(set) var notes: [Note] = []
    private(set) var timers: [(due: Double, kind: DeviceTimerEvent.Kind)] = []
    private(set) var discarded: [DiscardReason] = []

    mutating func note(
        _ kind: SimulatorEvent.Kind,
        _ bundleID: String? = nil,
        _ apnsID: APNsID? = nil,
        cause: String? = nil,
        _ details: [String: String] = [:]
    ) {
        self.notes.append(Note(kind: kind, bundleID: bundleID, apnsID: apnsID, cause: cause, details: details))
    }

    mutating func discard(_ cause: DiscardReason, _ bundleID: String, _ apnsID: APNsID) {
        self.discarded.append(cause)
        self.note(.discarded, bundleID, apnsID, cause: cause.rawValue)
    }

    /// Adds the scheduled and discarded items of other effects, but not their entries.
    mutating func addConsequences(of other: DeviceEffects) {
        self.timers += other.timers
        self.discarded += other.discarded
    }

    mutating func schedule(_ kind: DeviceTimerEvent.Kind, at due: Double) { self.timers.append((due, kind)) }
}
