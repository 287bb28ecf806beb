// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Lets one suspect item at a time be processed in this process; see `Interruptions`.
package final class SuspectPermit: Sendable {
    private let isTaken = Mutex(false)

    package init() {}

    /// Returns whether the permit was free; then ``giveBack()`` has to follow.
    package func take() -> Bool {
        self.isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    package func giveBack() { self.isTaken.withLock { $0 = false } }
}
