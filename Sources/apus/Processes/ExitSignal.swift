// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Holds the exit status of a process for whoever asks, before or after its end.
final class ExitSignal: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    private let state = Mutex(State())

    /// The process has ended; everybody who waits goes on.
    func ended(with status: Int32) {
        let waiting = self.state.withLock { state in
            state.status = status
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    /// The exit status, as soon as there is one.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let known = self.state.withLock { state -> Int32? in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
