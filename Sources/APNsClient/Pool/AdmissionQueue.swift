// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule

/// Callers who wait until the queue of notifications has room, in the order in which they came.
struct AdmissionQueue {
    private var waiting: Deque<(count: Int, continuation: CheckedContinuation<Bool, Never>)> = []
    /// What was admitted and is not in the queue yet.
    private var admitted = 0

    /// Admits a caller at once where there is room and nobody waits; otherwise keeps its continuation.
    mutating func admit(
        _ count: Int,
        queued: Int,
        room: Int,
        else continuation: CheckedContinuation<Bool, Never>
    ) -> Bool {
        if self.waiting.isEmpty, self.fits(count, queued: queued, room: room) {
            self.admitted += count
            return true
        }
        self.waiting.append((count, continuation))
        return false
    }

    /// Takes note that an admitted caller's targets are in the queue now.
    mutating func arrived(_ count: Int) {
        self.admitted -= count
    }

    /// Takes the callers for whom there is room now.
    mutating func admitWaiting(queued: Int, room: Int) -> [CheckedContinuation<Bool, Never>] {
        var admitted: [CheckedContinuation<Bool, Never>] = []
        while let first = self.waiting.first, self.fits(first.count, queued: queued, room: room) {
            self.admitted += first.count
            admitted.append(first.continuation)
            self.waiting.removeFirst()
        }
        return admitted
    }

    /// Takes all callers.
    mutating func removeAll() -> [CheckedContinuation<Bool, Never>] {
        defer { self.waiting.removeAll() }
        return self.waiting.map(\.continuation)
    }

    /// Whether there is room. A batch larger than the whole room fits when nothing else is there.
    private func fits(_ count: Int, queued: Int, room: Int) -> Bool {
        let taken = queued + self.admitted
        return taken == 0 || taken + count <= room
    }
}
