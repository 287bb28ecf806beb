// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

extension AsyncStream<StoreChange>.Iterator {
    /// The next change that is no mere progress of a batch.
    mutating func nextEvent() async -> StoreChange? {
        while let change = await self.next() {
            if case .batchAdvanced = change { continue }
            return change
        }
        return nil
    }
}
