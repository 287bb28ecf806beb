// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// The counting of a campaign's audience, which goes on beside its planning: of a large one it may take long, or fail.
final class AudienceCounting: Sendable {
    private let found = Mutex<Int?>(nil)
    private let ask: AsyncStream<Int64>.Continuation
    private let requests: AsyncStream<Int64>

    init() {
        (self.requests, self.ask) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many devices there are; `nil` as long as nobody has counted them.
    var count: Int? { self.found.withLock { $0 } }

    /// Somebody would like to know.
    ///
    /// It is counted once: who asks again, also behind a failure, changes nothing.
    /// `place` is the place of the last device that counts.
    func begin(through place: Int64) {
        self.ask.yield(place)
        self.ask.finish()
    }

    /// Counts when somebody asks.
    ///
    /// `count` counts the devices up to a place, and returns `nil` if that fails.
    /// - Returns: whether they were counted.
    func run(_ count: (Int64) async -> Int?) async -> Bool {
        for await place in self.requests {
            let result = await count(place)
            self.found.withLock { $0 = result }
        }
        return self.count != nil
    }
}
