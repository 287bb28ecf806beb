// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Which receiver a job calls, and what with.
public struct JobWebhook: Hashable, Sendable, Codable {
    /// The app's webhook: its URL is called, and its secret signs.
    public var webhook: WebhookID

    /// What the receiver is given beside the name of the job and the run; `nil` for nothing.
    public var body: JSONFragment?

    /// Takes a webhook, and what its receiver is given.
    public init(webhook: WebhookID, body: JSONFragment? = nil) {
        self.webhook = webhook
        self.body = body
    }
}
