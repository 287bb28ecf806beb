// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting

/// A store that fails at everything but finding keys.
struct FailingStore: ForwardingStore {
    let base: any PushStore
    let error: any Error & Sendable

    func forward<Value>(_ body: () async throws -> Value) async throws -> Value { throw self.error }
    func key(_ id: APIKeyID) async throws -> APIKey? { try await self.base.key(id) }
}
