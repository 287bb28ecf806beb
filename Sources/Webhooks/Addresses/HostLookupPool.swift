// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import NIOPosix
package import PushModel
import Synchronization

/// Resolves host names on threads, because a lookup blocks its thread.
///
/// There is one lookup of a host at a time, and concurrent callers receive its result. So a host whose name servers do
/// not respond blocks one thread, and only its callers. A queued lookup without callers is dropped.
///
/// Some threads are reserved for hosts that had an address last time, and some of the others for those that had none.
/// So hosts that resolve are looked up immediately, regardless of the number of hosts that do not.
package final class HostLookupPool: HostResolver {
    /// How many look-ups run at once.
    package struct Limits: Hashable, Sendable {
        /// All of them, 1 or more: as many threads are used.
        package var threads: Int

        /// The maximum number of concurrent lookups of failing or unknown hosts: 1...``threads``.
        package var unproven: Int

        /// Those of hosts that had no address the last time: 1...``unproven``.
        package var failing: Int

        /// All have the same unless they are given.
        package init(threads: Int, unproven: Int? = nil, failing: Int? = nil) {
            self.threads = threads
            self.unproven = unproven ?? threads
            self.failing = failing ?? unproven ?? threads
        }
    }

    private typealias Waiter = CheckedContinuation<[NetworkAddress], any Error>

    private struct LookUp {
        let standing: HostLookupHealth
        var isRunning = false
        var waiters: [UInt64: Waiter] = [:]
    }

    private struct State {
        let limits: Limits
        var lookUps: [String: LookUp] = [:]
        /// The hosts that no thread has begun with, the oldest first.
        var queues: [HostLookupHealth: [String]] = [:]
        var running: [HostLookupHealth: Int] = [:]
        var standings = HostLookupHistory()
        var lastWaiter: UInt64 = 0

        func hasRoom(for standing: HostLookupHealth) -> Bool {
            let failing = self.running[.failing, default: 0]
            let unproven = failing + self.running[.unknown, default: 0]
            guard unproven + self.running[.proven, default: 0] < self.limits.threads else { return false }
            return switch standing {
            case .proven: true
            case .unknown: unproven < self.limits.unproven
            case .failing: unproven < self.limits.unproven && failing < self.limits.failing
            }
        }

        mutating func begin(_ host: String, _ standing: HostLookupHealth) {
            self.running[standing, default: 0] += 1
            self.lookUps[host]?.isRunning = true
        }
    }

    private enum Step {
        case wait, refuse
        case begin(String)
    }

    private let pool: NIOThreadPool
    private let lookUp: @Sendable (String) -> [NetworkAddress]
    private let state: Mutex<State>

    /// The pool has to be started, and nothing else may use it; `lookUp` may block.
    package init(pool: NIOThreadPool, limits: Limits, lookUp: @escaping @Sendable (String) -> [NetworkAddress]) {
        self.pool = pool
        self.lookUp = lookUp
        self.state = Mutex(State(limits: limits))
    }

    package var waiting: Int {
        self.state.withLock { state in state.lookUps.values.reduce(0) { $0 + $1.waiters.count } }
    }

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
            let standing = state.standings[host]
            state.lookUps[host, default: LookUp(standing: standing)].waiters[number] = waiter
            if isKnown { return .wait }
            guard state.hasRoom(for: standing) else {
                state.queues[standing, default: []].append(host)
                return .wait
            }
            state.begin(host, standing)
            return .begin(host)
        }
    }

    private func forget(_ number: UInt64, of host: String) {
        let waiter = self.state.withLock { state -> Waiter? in
            guard var lookUp = state.lookUps[host], let waiter = lookUp.waiters.removeValue(forKey: number) else {
                return nil
            }
            state.lookUps[host] = lookUp
            if lookUp.waiters.isEmpty, !lookUp.isRunning {
                state.lookUps[host] = nil
                state.queues[lookUp.standing]?.removeAll { $0 == host }
            }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }

    /// Looks up a host, and then the queued hosts, on one thread.
    private func work(_ first: String, isActive: Bool) {
        var next: String? = first
        while let host = next {
            let addresses = isActive ? self.lookUp(host) : []
            let (waiters, following) = self.end(host, hasAddress: !addresses.isEmpty)
            for waiter in waiters { waiter.resume(returning: addresses) }
            next = following
        }
    }

    /// Ends a lookup; returns its waiters, and the next host for its thread.
    private func end(_ host: String, hasAddress: Bool) -> (waiters: [Waiter], next: String?) {
        self.state.withLock { state in
            guard let ended = state.lookUps.removeValue(forKey: host) else { return ([], nil) }
            state.standings.note(host, hasAddress ? .proven : .failing)
            state.running[ended.standing, default: 0] -= 1
            let waiters = Array(ended.waiters.values)
            for standing in HostLookupHealth.allCases where state.hasRoom(for: standing) {
                guard state.queues[standing]?.isEmpty == false, let next = state.queues[standing]?.removeFirst() else {
                    continue
                }
                state.begin(next, standing)
                return (waiters, next)
            }
            return (waiters, nil)
        }
    }
}

/// The expected result of looking up a host.
enum HostLookupHealth: CaseIterable {
    /// It had an address when it was looked up last.
    case proven

    case unknown

    /// It had no address when it was looked up last, perhaps since its name servers are silent.
    case failing
}

/// The results of earlier lookups, for a limited number of hosts.
struct HostLookupHistory {
    /// How many hosts a generation has; there are two at most.
    private static let generation = 5000

    private var young: [String: HostLookupHealth] = [:]
    private var old: [String: HostLookupHealth] = [:]

    subscript(host: String) -> HostLookupHealth { self.young[host] ?? self.old[host] ?? .unknown }

    /// Notes how a look-up ended; those that were not looked up for long are forgotten.
    mutating func note(_ host: String, _ standing: HostLookupHealth) {
        if self.young[host] == nil, self.young.count >= Self.generation {
            self.old = self.young
            self.young = [:]
        }
        self.young[host] = standing
    }
}
