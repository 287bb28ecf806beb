// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The result of a demo, from the state of the devices and of the server.
struct DemoReport: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case delivered, expected, pruned, expectedPruned, activities, duplicates, faults, seconds, pushMilliseconds
        case transitionsExpected = "transitions_expected"
        case transitionsSeen = "transitions_seen"
    }

    /// The effect of one push on a device.
    struct Arrival: Sendable {
        /// The installation.
        let phone: String

        /// Whether the device still had the app.
        let hasApp: Bool

        /// How many notifications more it holds.
        let all: Int

        /// The number of notifications that are equal to the sent ones.
        let matching: Int
    }

    /// The number of notifications on the devices that are equal to the sent ones.
    private(set) var delivered = 0

    /// How many they have to hold.
    private(set) var expected = 0

    /// How many devices the server has marked invalid.
    private(set) var pruned = 0

    /// How many it has to mark.
    private(set) var expectedPruned = 0

    /// The differences from the expected result, in words; too many notifications on one device do not compensate for
    /// others.
    private(set) var faults: [String] = []

    /// How many Live Activities the devices have shown.
    var activities = 0

    /// How many changes of these were planned ahead.
    private(set) var transitionsExpected = 0

    /// How many of them have arrived at the devices.
    private(set) var transitionsSeen = 0

    /// The number of pushes with the content of an earlier push.
    private(set) var duplicates = 0

    /// From the start of the first process to the last check.
    var seconds: Double = 0

    /// The time from each request to its response with all outcomes, in milliseconds.
    var pushMilliseconds: [Double] = []

    /// Whether everything came as it had to.
    var isGood: Bool {
        self.faults.isEmpty && self.delivered == self.expected && self.pruned == self.expectedPruned
            && self.transitionsSeen == self.transitionsExpected && self.duplicates == 0
    }

    /// Records the effect of a push on each device: exactly one notification if it has the app, otherwise none.
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

    /// Records the effects of the Live Activities on the devices.
    mutating func add(_ verdict: DemoDeliveryCheck.Verdict, faults: [String] = []) {
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
            isGone ? "\(phone) is valid although its app was removed" : "\(phone) is marked invalid and is not"
        )
    }
}
