// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// A result that is awaited by many and comes once.
final class Readiness<Value: Sendable>: Sendable {
    private enum State {
        /// Can transition to: `done`.
        case waiting([CheckedContinuation<Value, any Error>])
        case done(Result<Value, any Error>)
    }

    private let state = Mutex(State.waiting([]))

    /// The result, once it is there.
    func get() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Value, any Error>? = self.state.withLock { state in
                switch state {
                case .waiting(let waiters):
                    state = .waiting(waiters + [continuation])
                    return nil
                case .done(let result): return result
                }
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// The value, if it is there.
    var value: Value? {
        self.state.withLock { if case .done(.success(let value)) = $0 { value } else { nil } }
    }

    /// Settles the result.
    ///
    /// A second time changes nothing.
    func settle(_ result: Result<Value, any Error>) {
        let waiters: [CheckedContinuation<Value, any Error>] = self.state.withLock { state in
            guard case .waiting(let waiters) = state else { return [] }
            state = .done(result)
            return waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
