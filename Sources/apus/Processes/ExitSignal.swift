// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Synchronization

/// Holds the exit status of a process for whoever asks, before or after its end.
final class ExitSignal: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [Int: @Sendable (Int32) -> Void] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The process has ended; everybody who waits goes on.
    func ended(with status: Int32) {
        let waiting = self.state.withLock { state in
            state.status = status
            defer { state.waiting = [:] }
            return state.waiting
        }
        for resume in waiting.values { resume(status) }
    }

    /// Whether the process has ended.
    var hasEnded: Bool { self.state.withLock { $0.status != nil } }

    /// The exit status, as soon as there is one.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            _ = self.whenEnded { continuation.resume(returning: $0) }
        }
    }

    /// The exit status, or `nil` when the process goes on for longer than the limit.
    ///
    /// A cancelled task waits as well: whoever tidies up after it needs the process to be gone.
    func status(within limit: Duration) async -> Int32? {
        await withCheckedContinuation { continuation in
            guard let number = self.whenEnded({ continuation.resume(returning: $0) }) else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
                guard self.forget(number) else { return }
                continuation.resume(returning: nil)
            }
        }
    }

    /// Calls `resume` with the status: at once where it is known, otherwise at the end of the process.
    ///
    /// - Returns: a number by which to forget it; `nil` when it was called already.
    private func whenEnded(_ resume: @escaping @Sendable (Int32) -> Void) -> Int? {
        let (status, number) = self.state.withLock { state -> (Int32?, Int) in
            state.lastNumber += 1
            if state.status == nil { state.waiting[state.lastNumber] = resume }
            return (state.status, state.lastNumber)
        }
        guard let status else { return number }
        resume(status)
        return nil
    }

    /// - Returns: whether it had not been called yet.
    private func forget(_ number: Int) -> Bool {
        self.state.withLock { $0.waiting.removeValue(forKey: number) != nil }
    }
}
