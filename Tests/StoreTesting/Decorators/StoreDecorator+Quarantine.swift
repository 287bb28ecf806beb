// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    public func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<QuarantinedItem, Int64> {
        try await self.delegate {
            try await self.base.quarantinedItems(of: app, kind: kind, after: cursor, limit: limit)
        }
    }

    public func unreportedItems(limit: Int) async throws -> [QuarantinedItem] {
        try await self.delegate { try await self.base.unreportedItems(limit: limit) }
    }

    public func markReported(_ number: Int64, now: Date) async throws -> Bool {
        try await self.delegate { try await self.base.markReported(number, now: now) }
    }

    public func quarantinedItem(_ number: Int64) async throws -> QuarantinedItem? {
        try await self.delegate { try await self.base.quarantinedItem(number) }
    }

    @discardableResult
    public func repeatQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem? {
        try await self.delegate { try await self.base.repeatQuarantinedItem(number, now: now) }
    }

    @discardableResult
    public func removeQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem? {
        try await self.delegate { try await self.base.removeQuarantinedItem(number, now: now) }
    }
}
