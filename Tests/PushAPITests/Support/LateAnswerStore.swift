// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushModel
import PushStore
import SQLStore
import StoreTesting

/// A store that keeps an answer only when two have seen that the notification has its outcomes, and a little later.
struct LateAnswerStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    let looks: AsyncStream<Void>
    let looked: AsyncStream<Void>.Continuation

    func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        let status = try await self.base.notification(id)
        if status?.isDone == true { self.looked.yield() }
        return status
    }

    func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: ScopedIdempotencyKey) async throws {
        for _ in 0..<2 { try await self.looks.nextElement() }
        // Whoever does not wait for this answer has made one of its own by now.
        for _ in 0..<100 { try await self.base.checkWritable() }
        try await self.base.setAnswer(answer, for: slot)
    }
}
