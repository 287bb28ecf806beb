// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// The memory that the bodies of all requests share, with the lines that streams have not stored or sent yet.
///
/// Three quarters of it are for all bodies, the last quarter only for the first 64 KiB of each: so small requests are
/// served while large ones take up all that they may. Without these first parts, the bodies of one key may take up half.
final class BodyMemory: Sendable {
    /// How much of each body may use all of the memory.
    ///
    /// Unit: bytes.
    static let small = 64 << 10

    private let limit: Int
    private let taken = Atomic(0)

    /// The bytes of each key beyond the first ones of each body.
    private let byKey = Mutex<[APIKeyID: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that are reserved now.
    var takenBytes: Int { self.taken.load(ordering: .relaxed) }

    /// Counts bytes of a key.
    ///
    /// - Returns: whether the key may have them.
    private func count(_ bytes: Int, of key: APIKeyID) -> Bool {
        self.byKey.withLock { byKey in
            let count = (byKey[key] ?? 0) + bytes
            byKey[key] = count > 0 ? count : nil
            return count <= self.limit / 2
        }
    }

    /// The memory of one request, until it ends.
    final class Share: Sendable {
        private let memory: BodyMemory
        private let key: APIKeyID?
        private let bytes = Atomic(0)

        init(of memory: BodyMemory, key: APIKeyID? = nil) {
            self.memory = memory
            self.key = key
        }

        /// Reserves this number of bytes.
        ///
        /// - Returns: whether there was memory for them; if not, the request must end or give them back.
        @discardableResult
        func take(_ count: Int) -> Bool {
            let (old, own) = self.bytes.add(count, ordering: .relaxed)
            let isOfKey = self.countForKey(from: old, to: own)
            let reserve = own > BodyMemory.small ? self.memory.limit / 4 : 0
            return self.memory.taken.add(count, ordering: .relaxed).newValue <= self.memory.limit - reserve && isOfKey
        }

        /// Gives reserved bytes back.
        func giveBack(_ count: Int) {
            let (old, own) = self.bytes.subtract(count, ordering: .relaxed)
            _ = self.countForKey(from: old, to: own)
            self.memory.taken.subtract(count, ordering: .relaxed)
        }

        private func countForKey(from old: Int, to own: Int) -> Bool {
            let large = max(0, own - BodyMemory.small) - max(0, old - BodyMemory.small)
            guard let key, large != 0 else { return true }
            return self.memory.count(large, of: key)
        }

        deinit { self.giveBack(self.bytes.load(ordering: .relaxed)) }
    }
}
