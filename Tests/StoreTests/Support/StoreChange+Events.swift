// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

extension AsyncStream<StoreChange>.Iterator {
    /// The next change that does not tell of the feed.
    mutating func nextChange() async -> StoreChange? {
        while let change = await self.next() {
            if case .eventsAppended = change { continue }
            return change
        }
        return nil
    }

    /// The next change that is no mere progress of a batch, and does not tell of the feed.
    mutating func nextEvent() async -> StoreChange? {
        while let change = await self.nextChange() {
            if case .batchAdvanced = change { continue }
            return change
        }
        return nil
    }
}
