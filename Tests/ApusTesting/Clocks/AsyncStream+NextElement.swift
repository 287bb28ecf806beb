// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension AsyncStream where Element: Sendable {
    /// Waits for the next element that meets a condition.
    ///
    /// Use it in loops: a loop over `next()` that ignores `nil` never ends after the test was cancelled.
    ///
    /// - Returns: the element.
    /// - Throws: `CancellationError` when the stream has ended, or the task is cancelled.
    @discardableResult
    public func nextElement(where condition: (Element) -> Bool = { _ in true }) async throws -> Element {
        for await element in self where condition(element) { return element }
        throw CancellationError()
    }
}
