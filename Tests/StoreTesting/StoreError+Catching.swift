// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushStore

/// The `StoreError` that a call throws, or `nil` when it throws none.
package func storeError<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ call: () async throws -> Value
) async throws -> StoreError? {
    // Tests repeat calls until one fails, or none does.
    try Task.checkCancellation()
    do {
        _ = try await call()
        return nil
    } catch let error as StoreError {
        return error
    }
}
