// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension SQLTransaction {
    /// Removes activities that are over; see ``ActivityStore/removeActivities(overBefore:limit:)``.
    func removeActivities(overBefore time: Date, limit: Int) throws -> PrunedActivities {
        // The rows of an activity besides its devices and its timeline: its own row with its index entries, its
        // instants and its transitions.
        let rowsOfActivity = 4
        var rows = min(max(100, limit), 10_000)
        var pruned = PrunedActivities()
        let found = try self.activityRows(overBefore: time, limit: rows / rowsOfActivity + 1)
        let running = try self.runningRollouts(ofActivities: found.map(\.number))
        for row in found {
            guard rows > 0 else { break }
            rows -= rowsOfActivity + min(row.entries, ActivityLimit.timelineEntries)
            let room = max(1, rows)
            let devices = row.joined == 0 ? 0 : try self.removeDevices(ofActivity: row.number, limit: room)
            rows -= devices
            // It may have more devices.
            guard devices < room else { break }
            for rollout in running[row.number] ?? [] { self.close(rollout.notification, now: time) }
            try self.run("DELETE FROM activities WHERE number = \(row.number)")
            pruned.activities += 1
        }
        pruned.hasMore = rows <= 0
        return pruned
    }

    private func removeDevices(ofActivity number: Int64, limit: Int) throws -> Int {
        let range = ParticipantNumber.range(ofActivity: number)
        return try self.run(
            """
            DELETE FROM activity_participants WHERE number IN (
                SELECT number FROM activity_participants
                WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound) LIMIT \(limit)
            )
            """
        ).changes
    }
}
