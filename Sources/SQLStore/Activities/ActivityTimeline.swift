// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLExecutor {
    /// A page of a timeline, with the outcomes of its pushes; see ``ActivityStore/timeline(of:app:after:limit:)``.
    func timeline(ofActivity number: Int64, after cursor: Int?, limit: Int) throws -> Page<TimelineEntry, Int> {
        let rows = try self.rows(
            """
            SELECT * FROM activity_timeline WHERE activity = \(number) AND sequence > \(cursor ?? 0)
            ORDER BY sequence LIMIT \(limit + 1)
            """
        )
        let page = try Page(
            overfull: rows,
            in: "activity_timeline",
            limit: limit,
            cursor: { try $0.clampedNumber("sequence") },
            { (entry: try TimelineEntry(stored: $0), sends: try StoredSends(stored: $0)) }
        )
        let ids = Set(page.elements.flatMap { $0.sends.ranges.map(\.batch) })
        let batches = try self.batchRows(ids.sorted())
        let entries = try page.elements.map { row in
            var entry = row.entry
            entry.sendings = try row.sends.ranges.map { range in
                try self.sending(range, of: batches[range.batch])
            }
            return entry
        }
        return Page(elements: entries, next: page.next)
    }

    private func sending(_ range: StoredSends.Range, of batch: BatchRow?) throws -> TimelineEntry.Sending {
        guard let batch else { return TimelineEntry.Sending(batch: range.batch, targets: range.targets) }
        let failures = try self.activityFailures(of: range.batch, in: range.targets)
        let outcomes = BatchOutcomes(lifecycle: batch.lifecycle, failures: failures)
        var counts = OutcomeCounts()
        for index in range.targets {
            if let outcome = outcomes.outcome(at: index) { counts.add(outcome) }
        }
        return TimelineEntry.Sending(
            batch: range.batch,
            targets: range.targets,
            notification: batch.notification,
            counts: counts
        )
    }
}
