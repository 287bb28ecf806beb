// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
import WallTime

/// The waves of a campaign with a local start time: one for each instant at which time zones reach it.
package struct LocalTimeWaves {
    /// The waves, in no order.
    package let waves: [CampaignFanOut.Wave]

    /// The number of devices of all waves.
    package let count: Int

    /// Groups time zones by the instant at which they reach the local time.
    ///
    /// Devices without a time zone, or with an unknown one, belong to the wave of the fallback zone. So do devices that
    /// report another zone later. `zones` has the number of devices per zone, and under `nil` that of devices without
    /// one. Zones that have passed the local time at `startedAt` are late.
    package init(_ start: LocalStart, zones: [String?: Int], startedAt: Date) {
        let fallback = start.time.instant(in: TimeZone(identifier: start.fallbackZone) ?? .gmt)
        var groups: [Date: [String]] = [:]
        var counts: [Date: Int] = [:]
        for (name, count) in zones {
            let zone = name.flatMap { TimeZone(identifier: $0) }
            let instant = zone.map { start.time.instant(in: $0) } ?? fallback
            counts[instant, default: 0] += count
            if let name, zone != nil { groups[instant, default: []].append(name) }
        }
        let others = groups.filter { $0.key != fallback }
        let known = others.values.flatMap { $0 }.sorted()
        let filters = others.mapValues { TimeZoneFilter.only($0.sorted()) }
            .merging([fallback: known.isEmpty ? .any : .except(known)]) { first, _ in first }
        self.waves = filters.map { instant, filter in
            let isLeftOut = !start.sendIfPassed && instant < startedAt
            return CampaignFanOut.Wave(due: instant, zones: filter, isDone: isLeftOut)
        }
        self.count = counts.reduce(0) { sum, wave in
            start.sendIfPassed || wave.key >= startedAt ? sum + wave.value : sum
        }
    }
}

extension LocalTime {
    /// Returns the instant at which clocks of a time zone show this time.
    ///
    /// A time that occurs twice, because clocks are set back, means the first instant. A time that is skipped, because
    /// clocks are set forward, means the instant of that change.
    package func instant(in zone: TimeZone) -> Date {
        Date(timeIntervalSince1970: Double(TimeZoneClock(zone).instant(showing: self.secondsAsUTC)))
    }
}
