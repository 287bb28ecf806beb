// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Synchronization

/// A time of day that stands still until a test moves it.
final class TestTime: Sendable {
    static let start = Date(timeIntervalSince1970: 1_770_000_000)

    private let value: Mutex<Date>

    init(_ start: Date = TestTime.start) {
        self.value = Mutex(start)
    }

    var now: Date { self.value.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        self.value.withLock { $0 += seconds }
    }
}

/// A clock on which sleeps of the given length are over at once, and all others last until they are cancelled.
struct SelectiveClock: Clock {
    let passing: Duration

    var now: ContinuousClock.Instant { self.origin }
    var minimumResolution: Duration { .nanoseconds(1) }

    private let origin = ContinuousClock().now

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        guard deadline != self.origin.advanced(by: self.passing) else {
            try Task.checkCancellation()
            await Task.yield()
            return
        }
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}
