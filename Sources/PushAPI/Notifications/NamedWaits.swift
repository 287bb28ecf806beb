// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// The requests with a name that wait for their outcomes in this process.
///
/// What one of them is answered in the end is stored a moment after the outcomes are there. A repetition that waits, too,
/// would find the outcomes without the answer in that moment: it waits for the first request instead.
final class NamedWaits: Sendable {
    private struct Entry {
        var count = 0
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let entries = Mutex<[IdempotencySlot: Entry]>([:])

    /// A request of this name is about to be carried out and waited for.
    func begin(_ slot: IdempotencySlot) {
        self.entries.withLock { $0[slot, default: Entry()].count += 1 }
    }

    /// A request that has begun was answered, or was not carried out.
    func end(_ slot: IdempotencySlot) {
        let listeners = self.entries.withLock { entries in
            entries[slot]?.count -= 1
            guard entries[slot]?.count == 0 else { return [] as [AsyncStream<Void>.Continuation] }
            return entries.removeValue(forKey: slot)?.listeners ?? []
        }
        for listener in listeners { listener.finish() }
    }

    /// Waits until no request of this name waits any more, at once where none does.
    ///
    /// Those that do have begun to wait earlier, and so end within the limit of whoever asks.
    func ended(_ slot: IdempotencySlot) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        self.entries.withLock { entries in
            if entries[slot] == nil { end.finish() } else { entries[slot]?.listeners.append(end) }
        }
        for await _ in ends {}
    }
}
