// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func idempotencyRecord(_ slot: IdempotencySlot) async throws -> IdempotencyRecord? {
        try await self.forward { try await self.base.idempotencyRecord(slot) }
    }

    /// Asks the store that does the work.
    public func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot) async throws {
        try await self.forward { try await self.base.setAnswer(answer, for: slot) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int {
        try await self.forward { try await self.base.removeIdempotencyRecords(before: time, limit: limit) }
    }

    /// Asks the store that does the work.
    public func acceptedLines(of stream: StreamID, app: AppID) async throws -> Int {
        try await self.forward { try await self.base.acceptedLines(of: stream, app: app) }
    }

    /// Asks the store that does the work.
    public func append(_ chunk: StreamChunk) async throws {
        try await self.forward { try await self.base.append(chunk) }
    }

    /// Asks the store that does the work.
    public func chunks(of stream: StreamID, app: AppID, after line: Int, limit: Int) async throws -> [StreamChunk] {
        try await self.forward { try await self.base.chunks(of: stream, app: app, after: line, limit: limit) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func removeStreams(before time: Date, limit: Int) async throws -> RemovedStreams {
        try await self.forward { try await self.base.removeStreams(before: time, limit: limit) }
    }

    /// Asks the store that does the work.
    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        try await self.forward { try await self.base.pruneNotifications(settledBefore: time, limit: limit) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func pruneChunks(before time: Date) async throws -> Int {
        try await self.forward { try await self.base.pruneChunks(before: time) }
    }
}
