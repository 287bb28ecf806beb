// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Returns once `condition` holds, giving way to other tasks meanwhile.
///
/// For a state that no event announces. Prefer an event where there is one: this keeps a core busy.
///
/// - Throws: what `condition` throws, or `CancellationError` when the task is cancelled, for example at a test's time limit.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
