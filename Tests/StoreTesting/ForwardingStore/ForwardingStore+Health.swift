// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func checkWritable() async throws { try await self.forward { try await self.base.checkWritable() } }

    /// Asks the store that does the work.
    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        self.base.changes(concern)
    }
}
