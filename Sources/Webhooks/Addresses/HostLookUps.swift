// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import NIOPosix
import Synchronization

/// Looks hosts up on threads, each of which a look-up blocks.
///
/// A host is looked up once at a time, and whoever asks for it meanwhile waits for the same answer: one whose name servers are
/// silent holds up one thread, and nobody but those who ask for it. What nobody waits for any more when its turn comes is not
/// looked up.
package final class HostLookUps: HostResolver {
    private typealias Waiter = CheckedContinuation<[NetworkAddress], any Error>

    private struct LookUp {
        var isRunning = false
        var waiters: [UInt64: Waiter] = [:]
    }

    private struct State {
        var lookUps: [String: LookUp] = [:]
        /// The hosts that no thread has begun with, the oldest first.
        var queue: [String] = []
        var busyThreads = 0
        var lastWaiter: UInt64 = 0
    }

    private enum Step {
        case wait, refuse
        case begin(String)
    }

    private let pool: NIOThreadPool
    private let threads: Int
    private let lookUp: @Sendable (String) -> [NetworkAddress]
    private let state = Mutex(State())

    /// Look-ups that have not begun.
    ///
    /// - Parameters:
    ///   - pool: has the threads; it is started, and nobody else uses it.
    ///   - threads: how many of them are used.
    ///   - lookUp: finds the addresses of a host; it may block.
    package init(
        pool: NIOThreadPool,
        threads: Int,
        lookUp: @escaping @Sendable (String) -> [NetworkAddress]
    ) {
        self.pool = pool
        self.threads = threads
        self.lookUp = lookUp
    }

    /// How many wait for an answer.
    package var waiting: Int {
        self.state.withLock { state in state.lookUps.values.reduce(0) { $0 + $1.waiters.count } }
    }

    /// The addresses of a host; see `HostResolver`.
    package func addresses(of host: String) async throws -> [NetworkAddress] {
        let number = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                switch self.add(waiter, number, to: host) {
                case .wait: break
                case .refuse: waiter.resume(throwing: CancellationError())
                case .begin(let host): self.pool.submit { self.work(host, isActive: $0 == .active) }
                }
            }
        } onCancel: {
            self.forget(number, of: host)
        }
    }

    private func add(_ waiter: Waiter, _ number: UInt64, to host: String) -> Step {
        self.state.withLock { state in
            // Asked under the lock, so that a cancellation that comes later finds the waiter.
            if Task.isCancelled { return .refuse }
            let isKnown = state.lookUps[host] != nil
            state.lookUps[host, default: LookUp()].waiters[number] = waiter
            if isKnown { return .wait }
            guard state.busyThreads < self.threads else {
                state.queue.append(host)
                return .wait
            }
            state.busyThreads += 1
            state.lookUps[host]?.isRunning = true
            return .begin(host)
        }
    }

    /// Lets a waiter go on, and takes its host out of the queue when it was the last one.
    private func forget(_ number: UInt64, of host: String) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard var lookUp = state.lookUps[host], let waiter = lookUp.waiters.removeValue(forKey: number) else {
                return nil
            }
            state.lookUps[host] = lookUp
            if lookUp.waiters.isEmpty, !lookUp.isRunning {
                state.lookUps[host] = nil
                state.queue.removeAll { $0 == host }
            }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// Looks up a host, and then what waits, on one thread.
    private func work(_ first: String, isActive: Bool) {
        var next: String? = first
        while let host = next {
            let addresses = isActive ? self.lookUp(host) : []
            for waiter in self.waiters(endingWith: host) { waiter.resume(returning: addresses) }
            next = self.nextHost()
        }
    }

    private func waiters(endingWith host: String) -> [Waiter] {
        self.state.withLock { state in
            guard let lookUp = state.lookUps.removeValue(forKey: host) else { return [] }
            return Array(lookUp.waiters.values)
        }
    }

    /// What a thread that is done begins with; `nil` when nothing waits, and the thread is free.
    private func nextHost() -> String? {
        self.state.withLock { state in
            guard !state.queue.isEmpty else {
                state.busyThreads -= 1
                return nil
            }
            let next = state.queue.removeFirst()
            state.lookUps[next]?.isRunning = true
            return next
        }
    }
}
