// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Posts a test event to a webhook's receiver.
///
/// The API itself posts nothing; whoever builds it hands it a tester.
public protocol WebhookTester: Sendable {
    /// Posts an event of the kind `webhook.test`.
    ///
    /// - Returns: what the receiver said, or why it said nothing.
    func test(_ webhook: Webhook) async -> WebhookAnswer
}
