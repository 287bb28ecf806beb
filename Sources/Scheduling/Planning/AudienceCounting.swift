// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Counts the audience of a campaign concurrently with its fan-out, because the count can take long, or fail.
final class AudienceCounting: Sendable {
    private let found = Mutex<Int?>(nil)
    private let ask: AsyncStream<Int64>.Continuation
    private let requests: AsyncStream<Int64>

    init() {
        (self.requests, self.ask) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of devices; `nil` until they are counted.
    var count: Int? { self.found.withLock { $0 } }

    /// Requests the count of the devices up to a position; only the first call has an effect, also if the count fails.
    func begin(through place: Int64) {
        self.ask.yield(place)
        self.ask.finish()
    }

    /// Counts on request, by `count`, which returns `nil` if it fails; returns whether it succeeded.
    func run(_ count: (Int64) async -> Int?) async -> Bool {
        for await place in self.requests {
            let result = await count(place)
            self.found.withLock { $0 = result }
        }
        return self.count != nil
    }
}
