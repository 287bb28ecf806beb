// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting

extension DeliveryStage {
    /// Lets half a minute pass at once, and another whenever a batch is given back, for as long as `body` takes.
    ///
    /// How often a batch comes back depends on how busy the machine is; so a test must not count on a number.
    func whileTimePasses(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [clock, now, observed] in
                var isReleased = true
                while isReleased {
                    await clock.sleepers(atLeast: 2)
                    now.advance(by: .seconds(31))
                    clock.advance(by: .seconds(1))
                    isReleased = await observed.nextRelease()
                }
            }
            try await body()
            group.cancelAll()
        }
    }
}
