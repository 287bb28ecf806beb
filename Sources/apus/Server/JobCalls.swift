// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Scheduling
import Webhooks

/// Does what jobs need beside the store: calls webhooks.
struct JobCalls: JobHandler {
    let caller: WebhookCaller

    func run(_ claimed: ClaimedJobRun) async throws -> JobRunEnd {
        try await self.caller.call(claimed)
    }
}
