// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule
import NIOCore

/// Callers who wait until the queue of notifications has room, in the order in which they came.
struct AdmissionQueue {
    /// Answered with `nil` when the caller is admitted, else with why not.
    typealias Continuation = CheckedContinuation<SendFailure?, Never>

    /// Identifies a caller.
    final class Ticket: Sendable {}

    struct Entry {
        let ticket: Ticket
        let count: Int
        let deadline: NIODeadline
        let continuation: Continuation
    }

    private var waiting: Deque<Entry> = []
    /// The number of admitted targets that are not in the queue yet.
    private var admitted = 0

    /// Admits a caller immediately if there is capacity and no caller waits.
    mutating func admit(_ count: Int, queued: Int, room: Int) -> Bool {
        guard self.waiting.isEmpty, self.fits(count, queued: queued, room: room) else { return false }
        self.admitted += count
        return true
    }

    /// Lets a caller wait behind the others.
    mutating func append(_ entry: Entry) {
        self.waiting.append(entry)
    }

    /// Takes note that an admitted caller's targets are in the queue now.
    mutating func arrived(_ count: Int) {
        self.admitted -= count
    }

    /// Takes the callers for whom there is room now.
    mutating func admitWaiting(queued: Int, room: Int) -> [Continuation] {
        var admitted: [Continuation] = []
        while let first = self.waiting.first, self.fits(first.count, queued: queued, room: room) {
            self.admitted += first.count
            admitted.append(first.continuation)
            self.waiting.removeFirst()
        }
        return admitted
    }

    /// Removes and returns the callers that meet a condition; they are not admitted.
    mutating func remove(where condition: (Entry) -> Bool) -> [Continuation] {
        var removed: [Continuation] = []
        self.waiting.removeAll { entry in
            guard condition(entry) else { return false }
            removed.append(entry.continuation)
            return true
        }
        return removed
    }

    /// Whether there is room.
    ///
    /// A batch larger than the whole room fits when nothing else is there.
    private func fits(_ count: Int, queued: Int, room: Int) -> Bool {
        let taken = queued + self.admitted
        return taken == 0 || taken + count <= room
    }
}
