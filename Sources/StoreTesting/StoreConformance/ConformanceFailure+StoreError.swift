// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// Throws unless a call fails with a `StoreError` of that code.
func expectError<Value>(
    _ code: StoreError.Code,
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ call: () async throws -> Value
) async throws {
    do {
        _ = try await call()
    } catch let error as StoreError {
        try expectEqual(error.code, code, "the code of: \(what) (\(error))", file: file, line: line)
        try expect(!error.message.isEmpty, "\(what): the error has no message", file: file, line: line)
        return
    }
    throw ConformanceFailure(message: "\(what): expected \(code), found no error", location: "\(file):\(line)")
}
