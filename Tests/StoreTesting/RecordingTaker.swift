// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import ApusTesting
import Foundation
package import PushModel
import PushStore
import Synchronization

/// Takes whatever it is offered, and sends nothing of it.
package final class RecordingTaker: DirectHandoffConsumer {
    package struct Seen {
        package var taken: [ClaimedBatch] = []
        package var forgone: [Batch] = []
    }

    package let now = TestDateSource()

    private let state = Mutex(Seen())

    package init() {}

    package var seen: Seen { self.state.withLock { $0 } }

    package func offer(_ batch: Batch) -> ClaimedBatch? {
        let until = self.now().addingTimeInterval(60)
        return ClaimedBatch(batch: batch, cursor: 0, worker: "taker", leasedUntil: until)
    }

    package func take(_ claimed: [ClaimedBatch]) { self.state.withLock { $0.taken += claimed } }

    package func forgo(_ batch: Batch) { self.state.withLock { $0.forgone.append(batch) } }
}
