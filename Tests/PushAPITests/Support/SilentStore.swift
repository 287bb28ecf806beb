// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import StoreTesting

/// A store that never signals, like one whose notifications another process settles.
struct SilentStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    /// What happens instead of a write when the store is checked.
    var check: (@Sendable () async throws -> Void)?

    /// What is answered instead of how far a stream has come.
    var acceptedLines: (@Sendable (StreamID, AppID) async throws -> Int)?

    func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        AsyncStream { _ in }
    }

    func checkWritable() async throws {
        if let check { try await check() } else { try await self.base.checkWritable() }
    }

    func acceptedLines(of stream: StreamID, app: AppID) async throws -> Int {
        if let acceptedLines { return try await acceptedLines(stream, app) }
        return try await self.base.acceptedLines(of: stream, app: app)
    }
}
