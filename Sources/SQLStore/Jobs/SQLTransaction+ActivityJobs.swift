// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension SQLTransaction {
    /// Changes those of some activities that match the work of a job.
    ///
    /// An activity that cannot be read is skipped.
    /// - Returns: how many activities changed, and the reason of the first refusal.
    func change(
        _ numbers: [Int64],
        by work: JobActivities,
        of row: JobRow,
        now: Date
    ) throws -> (count: Int, note: String?) {
        var change = work.change
        change.instants = [:]
        let found = try readable(numbers, in: "activities") { try self.activityRows(numbers: $0) }
        let schema = try self.schemas(for: [change], of: found, app: row.app)[work.attributesType]
        let orders = found.sorted { $0.number < $1.number }.filter { work.concerns($0.lifecycle, schema: schema) }
            .map { ActivityOrder(activity: $0.id, change: change) }
        guard !orders.isEmpty else { return (0, nil) }
        var count = 0
        var note: String?
        let results = try self.change(orders, of: row.job.app, now: now)
        for (order, result) in zip(orders, results) {
            switch result {
            case .changed: count += 1
            case .refused(let refusal) where note == nil:
                note = "Not every activity could be changed. '\(order.activity)': \(refusal.message)"
            case .refused, .unknown: break
            }
        }
        return (count, note)
    }
}
