// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A notification to store, encoded before the transaction, because other writers wait for it.
struct Acceptance: Sendable {
    let notification: PushModel.Notification
    fileprivate let drafts: [NewBatch]
    fileprivate let note: AcceptanceAttachment?

    init(_ notification: PushModel.Notification, _ batches: [Batch], _ note: AcceptanceAttachment?) {
        self.notification = notification
        self.drafts = batches.map { NewBatch(ScheduledBatch(batch: $0)) }
        self.note = note
    }

    fileprivate var isUrgent: Bool { self.drafts.contains { $0.planned.batch.lane == .urgent } }

    /// Whether it shares its transaction with others.
    ///
    /// Resends and chunks of streams do not, because a repetition of these fails the whole transaction.
    var isSmall: Bool {
        if case .chunk = self.note { return false }
        return self.notification.targetCount <= CallGroups.maximumTargets && self.notification.resendOf == nil
            && self.drafts.allSatisfy { $0.planned.batch.lane == .urgent }
    }
}

extension SQLDatabase {
    /// Stores notifications in one transaction, which waits for a lock only briefly if others wait for it.
    ///
    /// - Returns: a result for each. A notification that is rejected does not affect the others.
    /// - Throws: an error if nothing was stored.
    func accept(
        _ items: [Acceptance],
        waitsBriefly: Bool = false,
        operation: StaticString = #function
    ) async throws -> [Result<Void, any Error>] {
        try await self.writeHandingOver(
            in: items.contains(where: \.isUrgent) ? .urgent : .bulk,
            // One transaction stores all of them.
            storedRow: { _ in "SELECT 1 FROM notifications WHERE id \(each: items.map(\.notification.id.value))" },
            operation: operation
        ) { transaction in
            if waitsBriefly { try transaction.waitBriefly() }
            return try transaction.accept(items)
        }
    }
}

extension SQLTransaction {
    fileprivate func accept(_ items: [Acceptance]) throws -> [Result<Void, any Error>] {
        let apps = try self.lockApps(Set(items.map(\.notification.app))).appNumbers
        var records: [(record: IdempotencyRecord, app: Int64)] = []
        for item in items {
            guard case .answer(let record) = item.note, let app = apps[item.notification.app] else { continue }
            records.append((record, app))
        }
        // All transactions lock the keys in the same order. The sort is stable: of equal keys the first counts.
        records.sort {
            ($0.app, $0.record.slot.apiKey, $0.record.slot.key) < ($1.app, $1.record.slot.apiKey, $1.record.slot.key)
        }
        // First, because the records decide which requests are repetitions.
        var added = try self.insertUnused(records)
        var accepted: [(item: Acceptance, app: Int64)] = []
        var results: [Result<Void, any Error>] = []
        for item in items {
            do {
                guard let app = apps[item.notification.app] else { throw StoreError.noApp(item.notification.app) }
                if case .answer(let record) = item.note, added.remove(record.notification) == nil {
                    throw StoreError.taken("a response under this idempotency key")
                }
                accepted.append((item, app))
                results.append(.success(()))
            } catch {
                results.append(.failure(error))
            }
        }
        for case (let item, let app) in accepted {
            if case .chunk(let chunk) = item.note { try self.append(chunk, app: app) }
        }
        try self.accept(accepted.map { ($0.item.notification, $0.item.drafts, app: $0.app) })
        for case (let item, _) in accepted {
            if case .endpoint(let publication) = item.note { try self.insert(publication, of: item.notification.id) }
        }
        return results
    }
}
