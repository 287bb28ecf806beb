// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushAPI
import PushModel
import Webhooks

/// Posts test events exactly as all others are posted.
struct TestPost: WebhookTester {
    let sender: WebhookSender

    func test(_ webhook: Webhook) async -> WebhookAnswer {
        await self.sender.test(webhook)
    }
}
