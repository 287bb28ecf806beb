// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What came of a demo, from what the devices hold and what the server has learned.
struct DemoReport: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case delivered, expected, pruned, expectedPruned, activities, duplicates, faults, seconds, pushMilliseconds
        case transitionsExpected = "transitions_expected"
        case transitionsSeen = "transitions_seen"
    }

    /// What one push changed on a device.
    struct Arrival: Sendable {
        /// The installation.
        let phone: String

        /// Whether the device still had the app.
        let hasApp: Bool

        /// How many notifications more it holds.
        let all: Int

        /// How many of these are, part for part, what was sent.
        let matching: Int
    }

    /// How many notifications the devices hold that are, part for part, what was sent.
    private(set) var delivered = 0

    /// How many they have to hold.
    private(set) var expected = 0

    /// How many devices the server has marked invalid.
    private(set) var pruned = 0

    /// How many it has to mark.
    private(set) var expectedPruned = 0

    /// What is not as it has to be, in words; too much on one device does not make up for too little on another.
    private(set) var faults: [String] = []

    /// How many Live Activities the devices have shown.
    var activities = 0

    /// How many changes of these were planned ahead.
    private(set) var transitionsExpected = 0

    /// How many of them have arrived at the devices.
    private(set) var transitionsSeen = 0

    /// How many pushes have brought a device what another one had brought before.
    private(set) var duplicates = 0

    /// From the start of the first process to the last check.
    var seconds: Double = 0

    /// From each call of the API to its answer with all outcomes, in milliseconds.
    var pushMilliseconds: [Double] = []

    /// Whether everything came as it had to.
    var isGood: Bool {
        self.faults.isEmpty && self.delivered == self.expected && self.pruned == self.expectedPruned
            && self.transitionsSeen == self.transitionsExpected && self.duplicates == 0
    }

    /// Books what a push brought to each device: exactly one notification where the app is, and none elsewhere.
    mutating func add(push title: String, _ arrivals: [Arrival]) {
        for arrival in arrivals {
            let expected = arrival.hasApp ? 1 : 0
            self.delivered += arrival.matching
            self.expected += expected
            guard arrival.all != expected || arrival.matching != expected else { continue }
            self.faults.append(
                "\(title): \(arrival.phone) got \(arrival.all) notifications, \(arrival.matching) of them as sent, "
                    + "instead of \(expected)"
            )
        }
    }

    /// Books what the Live Activities have brought to the devices.
    mutating func add(_ verdict: DemoArrivals.Verdict, faults: [String] = []) {
        self.transitionsExpected += verdict.planned
        self.transitionsSeen += verdict.plannedSeen
        self.duplicates += verdict.duplicates
        self.faults += faults + verdict.faults
    }

    /// Books whether the server has marked a device as invalid, and whether it has to.
    mutating func add(phone: String, isInvalid: Bool, isGone: Bool) {
        if isInvalid { self.pruned += 1 }
        if isGone { self.expectedPruned += 1 }
        guard isInvalid != isGone else { return }
        self.faults.append(
            isGone ? "\(phone) is not marked invalid although its app is gone" : "\(phone) is marked invalid and is not"
        )
    }
}
