// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How often background notifications have let an app run lately.
struct BackgroundBudget: Codable, Sendable {
    /// When they did, within the last day; seconds since 1970.
    private(set) var runs: [Double] = []

    /// When the next may let the app run; `now` or before where it may at once.
    func opens(_ switches: DeviceSwitches, now: Double) -> Double {
        var opens = now
        for (limit, span) in [(switches.backgroundPerHour, 3600.0), (switches.backgroundPerDay, 86_400.0)] {
            guard let limit else { continue }
            let recent = self.runs.filter { $0 > now - span }
            guard recent.count >= limit else { continue }
            // The oldest of the last `limit` runs has to be out of the span.
            opens = max(opens, limit == 0 ? .infinity : recent[recent.count - limit] + span)
        }
        return opens
    }

    /// Takes note of a run, as far as a limit asks for it.
    mutating func spend(_ switches: DeviceSwitches, now: Double) {
        self.runs.removeAll { $0 <= now - 86_400 }
        self.runs.append(now)
        let needed = max(switches.backgroundPerHour ?? 0, switches.backgroundPerDay ?? 0)
        self.runs.removeFirst(max(0, self.runs.count - needed))
    }
}
