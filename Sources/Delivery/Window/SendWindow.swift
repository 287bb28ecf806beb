// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// What this process may have sent and not settled: so much may be sent twice after a crash, and no more.
final class SendWindow: Sendable {
    /// By which someone who waits is found again.
    private final class Ticket: Sendable {}

    private struct Waiter {
        let ticket: Ticket
        let holder: WindowShares.Holder
        let wanted: Int
        let continuation: CheckedContinuation<Int, Never>
    }

    private struct State {
        var shares: WindowShares
        /// Urgent ones first, those of a lane in the order in which they came.
        private var waiters: [Waiter] = []

        init(shares: WindowShares) {
            self.shares = shares
        }

        mutating func append(_ waiter: Waiter) {
            let place = waiter.holder.lane == .urgent ? self.waiters.firstIndex { $0.holder.lane == .bulk } : nil
            self.waiters.insert(waiter, at: place ?? self.waiters.endIndex)
        }

        mutating func remove(_ ticket: Ticket) -> Waiter? {
            self.waiters.firstIndex { $0.ticket === ticket }.map { self.waiters.remove(at: $0) }
        }

        /// Lets those in who can be let in; whoever cannot stands in nobody's way.
        mutating func admit() -> [(waiter: Waiter, granted: Int)] {
            var admitted: [(Waiter, Int)] = []
            var left: [Waiter] = []
            for waiter in self.waiters {
                let granted = self.shares.take(waiter.wanted, for: waiter.holder)
                if granted > 0 { admitted.append((waiter, granted)) } else { left.append(waiter) }
            }
            self.waiters = left
            return admitted
        }
    }

    private let state: Mutex<State>
    private let capacity: Int
    private let onChange: @Sendable (_ held: Int) -> Void

    /// A window of which nothing is held.
    ///
    /// - Parameters:
    ///   - capacity: how many targets may be in flight.
    ///   - onChange: told how many are, whenever that changes; it is called under a lock, and has to be quick.
    init(capacity: Int, onChange: @escaping @Sendable (_ held: Int) -> Void = { _ in }) {
        let shares = WindowShares(capacity: capacity)
        self.capacity = shares.free
        self.onChange = onChange
        self.state = Mutex(State(shares: shares))
    }

    /// Waits for a part of the window; see ``WindowShares/take(_:for:)``.
    ///
    /// - Returns: how many targets may be sent to, at most `wanted`; 0 when the task is cancelled.
    func take(_ wanted: Int, for holder: WindowShares.Holder) async -> Int {
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.update { state in
                    state.append(Waiter(ticket: ticket, holder: holder, wanted: wanted, continuation: continuation))
                }
                // The handler may have come too early to find it.
                if Task.isCancelled { self.withdraw(ticket) }
            }
        } onCancel: {
            self.withdraw(ticket)
        }
    }

    /// Gives a part of the window back.
    func giveBack(_ count: Int, from holder: WindowShares.Holder) {
        guard count > 0 else { return }
        self.update { $0.shares.giveBack(count, from: holder) }
    }

    private func update(_ change: (inout State) -> Void) {
        let admitted = self.state.withLock { state in
            change(&state)
            let admitted = state.admit()
            self.onChange(self.capacity - state.shares.free)
            return admitted
        }
        for (waiter, granted) in admitted { waiter.continuation.resume(returning: granted) }
    }

    private func withdraw(_ ticket: Ticket) {
        let waiter = self.state.withLock { $0.remove(ticket) }
        waiter?.continuation.resume(returning: 0)
    }
}
