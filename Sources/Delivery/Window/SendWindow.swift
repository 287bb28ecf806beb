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
        var pace: BulkPace
        /// Urgent ones first, those of a lane in the order in which they came.
        private var waiters: [Waiter] = []

        init(shares: WindowShares, pace: BulkPace) {
            self.shares = shares
            self.pace = pace
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
    private let now: @Sendable () -> ContinuousClock.Instant
    private let onChange: @Sendable (_ held: Int) -> Void
    private let onPause: @Sendable (_ count: Int) -> Void

    /// A window of which nothing is held.
    ///
    /// - Parameters:
    ///   - capacity: how many targets may be in flight.
    ///   - pace: how fast bulk work goes on beside urgent work.
    ///   - now: the time, for the pace.
    ///   - onChange: told how many are in flight, whenever that changes; it is called under a lock, and has to be quick.
    ///   - onPause: told how many targets of bulk work wait for their turn because there is urgent work.
    init(
        capacity: Int,
        pace: BulkPace = BulkPace(rate: nil),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onChange: @escaping @Sendable (_ held: Int) -> Void = { _ in },
        onPause: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) {
        let shares = WindowShares(capacity: capacity)
        self.capacity = shares.free
        self.now = now
        self.onChange = onChange
        self.onPause = onPause
        self.state = Mutex(State(shares: shares, pace: pace))
    }

    /// Waits for a part of the window; see ``WindowShares/take(_:for:)``, and before it for a turn; see ``BulkPace``.
    ///
    /// - Returns: how many targets may be sent to, at most `wanted`; 0 when the task is cancelled.
    func take(_ wanted: Int, for holder: WindowShares.Holder) async -> Int {
        let wanted = await self.turn(wanted, in: holder.lane)
        guard wanted > 0 else { return 0 }
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

    /// Waits until it is the lane's turn.
    ///
    /// Answers for how many targets; 0 when the task is cancelled.
    private func turn(_ wanted: Int, in lane: Lane) async -> Int {
        let now = self.now()
        let turn = self.state.withLock { state in
            switch lane {
            case .bulk: return state.pace.bulkTurn(wanted, now: now)
            case .urgent:
                state.pace.urgentWorkBegan(now: now)
                return (wanted, nil)
            }
        }
        guard let begin = turn.begin else { return turn.count }
        self.onPause(turn.count)
        do {
            try await Task.sleep(for: begin - now)
            return turn.count
        } catch {
            return 0
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
