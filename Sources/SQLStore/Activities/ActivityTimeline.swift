// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel

extension ActivityTables {
    /// A part of an activity's timeline, with what its pushes came to; see ``ActivityStore/timeline(of:app:after:limit:)``.
    package func timeline(ofActivity number: Int64, after cursor: Int?, limit: Int) throws -> Page<TimelineEntry, Int> {
        let page = try self.timelineRows(ofActivity: number, after: cursor ?? 0, limit: limit)
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
        let failures = try self.failures(of: range.batch, in: range.targets)
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

/// A row of the table `activity_timeline`: an entry, and the targets that were sent to.
package struct TimelineRow: Sendable {
    let entry: TimelineEntry
    let sends: StoredSends

    package init(stored row: some StoredRow) throws {
        self.entry = try TimelineEntry(stored: row)
        self.sends = try StoredSends(stored: row)
    }
}

extension Page where Element == TimelineRow, Cursor == Int {
    /// Cuts a page from rows of the table `activity_timeline`, one more of which was asked for than the page may hold.
    package init(timeline rows: [some StoredRow], limit: Int) throws {
        try self.init(
            overfull: rows,
            in: "activity_timeline",
            limit: limit,
            cursor: { try $0.clampedNumber("sequence") },
            { try TimelineRow(stored: $0) }
        )
    }
}
