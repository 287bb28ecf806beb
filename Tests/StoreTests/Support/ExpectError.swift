// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import StoreTesting
import Testing

/// Expects a call to fail with a `StoreError` that has this code and a message.
func expectError<Value>(
    _ code: StoreError.Code,
    _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async throws {
    let error = try await storeError(call)
    #expect(error?.code == code, comment, sourceLocation: sourceLocation)
    #expect(error?.message != "", comment, sourceLocation: sourceLocation)
}
