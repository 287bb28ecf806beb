// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension ActivityTables {
    /// Removes activities that are over; see ``ActivityStore/removeActivities(overBefore:limit:)``.
    package func remove(
        overBefore time: Date,
        limit: Int,
        signalling changes: inout [StoreChange]
    ) throws -> PrunedActivities {
        var rows = min(max(100, limit), 10_000)
        var pruned = PrunedActivities()
        let found = try self.activityRows(overBefore: time, limit: rows / Self.rowsOfActivity + 1)
        let running = try found.isEmpty ? [:] : self.runningRollouts(ofActivities: found.map(\.number))
        for row in found {
            guard rows > 0 else { break }
            rows -= Self.rowsOfActivity + min(row.entries, ActivityLimit.timelineEntries)
            let room = max(1, rows)
            let phones = row.joined == 0 ? 0 : try self.removePhones(ofActivity: row.number, limit: room)
            rows -= phones
            // It may have more of them.
            guard phones < room else { break }
            for rollout in running[row.number] ?? [] {
                // Nobody would go on with what it has begun.
                try self.close(rollout.notification, now: time, signalling: &changes)
            }
            try self.removeActivity(row.number)
            pruned.activities += 1
        }
        pruned.hasMore = rows <= 0
        return pruned
    }

    /// What an activity takes without its phones and its timeline: its own row with its places in indices, its instants
    /// and transitions.
    private static var rowsOfActivity: Int { 4 }
}
