// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting

extension DeliveryStage {
    /// Lets both lanes ask the store once more.
    func poll() async {
        // The keeper of a lease sleeps longer, and so does who asks for halts.
        await self.clock.sleepers(atLeast: 2, within: .seconds(1))
        self.clock.advance(by: .seconds(1))
    }

    /// Lets half a minute pass at once, and another whenever a batch is given back, for as long as `body` takes.
    ///
    /// How often a batch comes back depends on how busy the machine is; so a test must not count on a number.
    func whileTimePasses(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var isReleased = true
                while isReleased {
                    self.now.advance(by: .seconds(31))
                    await self.poll()
                    isReleased = await self.observed.nextRelease()
                }
            }
            try await body()
            group.cancelAll()
        }
    }
}
