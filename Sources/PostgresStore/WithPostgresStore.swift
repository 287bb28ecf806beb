// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging

/// Opens a store, hands it to `body`, and closes it whatever happens.
///
/// ``PostgresStore/run()`` is for the body to run, where word of other processes' changes is wanted.
/// - Parameters:
///   - configuration: where and how the store is kept.
///   - logger: told of damage that is worked around.
///   - isolation: where the body runs; the caller's by default.
///   - body: what to do with the store.
/// - Returns: what `body` returns.
/// - Throws: what ``PostgresStore/init(configuration:logger:)`` or `body` throws.
public func withPostgresStore<Value>(
    configuration: PostgresStoreConfiguration,
    logger: Logger,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PostgresStore) async throws -> Value
) async throws -> Value {
    let store = try await PostgresStore(configuration: configuration, logger: logger)
    defer { store.close() }
    return try await body(store)
}
