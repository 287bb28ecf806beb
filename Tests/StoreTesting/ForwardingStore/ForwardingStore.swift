// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// A store that passes everything on to another one: whoever adopts it writes only what differs.
public protocol ForwardingStore: PushStore {
    /// The store that does the work.
    var base: any PushStore { get }

    /// Carries out everything that can fail.
    ///
    /// Unless the adopter says otherwise it calls `body` and nothing else.
    func forward<Value>(_ body: () async throws -> Value) async throws -> Value
}

extension ForwardingStore {
    /// Carries out `body`.
    public func forward<Value>(_ body: () async throws -> Value) async throws -> Value { try await body() }
}
