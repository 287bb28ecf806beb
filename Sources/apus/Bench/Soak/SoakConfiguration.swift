// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How a soak is done.
struct SoakConfiguration: Sendable {
    /// The app that everything is sent to.
    static let app = "com.example.soak"

    /// After how long without a sign of life a process is taken for dead.
    ///
    /// Unit: seconds.
    static let leaseSeconds = 5

    /// How long a notification is tried in a soak that is not short.
    ///
    /// Unit: seconds. What APNs asks to send a minute later is sent within that.
    static let longestTimeToLive = 180

    let seed: UInt64
    let minutes: Double
    let storeURL: String?
    let storeRestart: String?
    let workers: Int
    let devices: Int

    var storeName: String { self.storeURL == nil ? "sqlite" : "postgres" }

    /// How long there are faults.
    var duration: Duration { .seconds(self.minutes * 60) }

    /// How long a notification is tried after it was accepted.
    ///
    /// Unit: seconds. A third of a short soak.
    var timeToLive: Int { min(Self.longestTimeToLive, max(20, Int(self.minutes * 60 / 3))) }

    /// How long everything may take to settle when the faults are over, before it counts as lost.
    var patience: Duration { .seconds(3 * self.timeToLive + 300) }

    /// How many devices there are that APNs does not know.
    var strangers: Int { self.devices / 100 }

    /// How many devices a campaign is sent to.
    var audience: Int { self.devices + self.strangers }

    /// How many devices a campaign reaches in a second.
    var throttle: Int { max(1, self.audience / 10) }

    /// How many targets a process that delivers may have sent and not settled: half a second's worth of a campaign.
    ///
    /// That is much less than the default, so that what comes twice is a small part of everything.
    var window: Int { max(60, self.throttle / 2) }

    /// How many of them are sent and settled together.
    var slice: Int { self.window / 3 }
}
