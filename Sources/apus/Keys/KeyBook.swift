// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// What is asked of a new API key.
struct KeyDraft: Sendable {
    var name: String
    var scopes: [Scope]
    var app: String?
    var expiresAt: Date?

    /// Whether it also signs requests to the SNS endpoint.
    var isAccessKey = false
}

/// The API keys of a server, wherever they are reached.
protocol KeyBook: Sendable {
    /// Makes a key; the answer holds its secret.
    func create(_ draft: KeyDraft) async throws -> KeyAnswer

    /// Calls `body` with every key.
    func each(_ body: (KeyAnswer) throws -> Void) async throws

    /// Revokes a key.
    func revoke(_ id: String) async throws
}
