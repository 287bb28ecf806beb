// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try notification.check(batches)
        let drafts = batches.map { BatchDraft(PlannedBatch(batch: $0)) }
        let id = notification.id.value
        try await self.sql.write(
            handingOver: batches,
            in: batches.contains { $0.lane == .urgent } ? .urgent : .bulk,
            isStored: { try $0.first("SELECT 1 FROM notifications WHERE id = \(id)") != nil }
        ) { transaction, claimed in
            let app = try transaction.lockedNumber(of: notification.app)
            // First, because it decides whether the request is a repetition.
            switch note {
            case .answer(let record): try transaction.insert(record, app: app)
            case .chunk(let chunk): try transaction.append(chunk, app: app)
            case .endpoint, nil: break
            }
            try transaction.accept(notification, drafts, claimed: claimed, app: app)
            if case .endpoint(let publication) = note { try transaction.insert(publication, of: notification.id) }
        }
    }

    public func beginHandOver(to taker: any BatchTaker) {
        self.sql.driver.batchHandOvers?.add(taker)
    }

    public func endHandOver(to taker: any BatchTaker) {
        self.sql.driver.batchHandOvers?.remove(taker)
    }
}

extension SQLTransaction {
    /// Stores a notification with its batches, signals those that are not handed over, and appends its event.
    func accept(
        _ notification: PushModel.Notification,
        _ drafts: [BatchDraft],
        claimed: [BatchID: ClaimedBatch] = [:],
        app: Int64
    ) throws {
        try self.insert(notification, app: app)
        try self.insert(drafts, claimed: claimed, app: app)
        let waiting = drafts.filter { claimed[$0.planned.batch.id] == nil }
        for lane in Set(waiting.map(\.planned.batch.lane)) { self.signal(.batchReady(lane)) }
        self.append(.accepted(notification, time: notification.createdAt), app: app)
    }
}
