// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

/// The operations that are written for each database.
extension StoreDecorator {
    public func checkWritable() async throws { try await self.delegate { try await self.base.checkWritable() } }

    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        self.base.changes(concern)
    }

    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        try await self.delegate { try await self.base.deleteApp(id) }
    }

    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        try await self.delegate { try await self.base.pruneEvents(before: time, keeping: count) }
    }

    @discardableResult
    public func publish(_ publication: Publication, noting record: IdempotencyRecord?) async throws -> Int {
        try await self.delegate { try await self.base.publish(publication, noting: record) }
    }

    @discardableResult
    public func removeStreams(before time: Date, limit: Int) async throws -> RemovedStreams {
        try await self.delegate { try await self.base.removeStreams(before: time, limit: limit) }
    }

    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        try await self.delegate { try await self.base.pruneNotifications(settledBefore: time, limit: limit) }
    }

    @discardableResult
    public func pruneChunks(before time: Date) async throws -> Int {
        try await self.delegate { try await self.base.pruneChunks(before: time) }
    }
}
