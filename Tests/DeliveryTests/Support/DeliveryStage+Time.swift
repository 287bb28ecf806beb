// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting

extension DeliveryStage {
    /// Lets both lanes ask the store once more.
    func poll() async throws {
        try await self.polled()
        self.clock.advance(by: .seconds(1))
    }

    /// Waits until both lanes have asked the store, and wait for their next poll.
    func polled() async throws {
        // The keeper of a lease sleeps longer, and so does the watch for halts.
        try await self.clock.timers(2, dueWithin: .seconds(1))
    }

    /// Lets half a minute pass at once, and another whenever a batch is given back, for as long as `body` takes.
    ///
    /// How often a batch comes back depends on how busy the machine is; so a test must not count on a number.
    func whileTimePasses(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    self.now.advance(by: .seconds(31))
                    try await self.poll()
                    try await self.observed.nextRelease()
                }
            }
            try await body()
            group.cancelAll()
        }
    }
}
