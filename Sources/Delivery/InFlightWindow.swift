// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// The in-flight window: limits the targets that are sent and not settled, which a crash can send twice.
final class InFlightWindow: Sendable {
    private final class Ticket: Sendable {}

    private struct Waiter {
        let ticket: Ticket
        let holder: FairWindowAllocator.Holder
        let wanted: Int
        let continuation: CheckedContinuation<Int, Never>
    }

    private struct State {
        var shares: FairWindowAllocator
        var pace: BulkRateLimiter
        /// Urgent waiters first; in each lane in the order of arrival.
        var waiters: [Waiter] = []

        mutating func append(_ waiter: Waiter) {
            let place = waiter.holder.lane == .urgent ? self.waiters.firstIndex { $0.holder.lane == .bulk } : nil
            self.waiters.insert(waiter, at: place ?? self.waiters.endIndex)
        }

        mutating func remove(_ ticket: Ticket) -> Waiter? {
            self.waiters.firstIndex { $0.ticket === ticket }.map { self.waiters.remove(at: $0) }
        }

        /// Grants parts of the window to all waiters for which there is capacity; the others do not block later ones.
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
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let onChange: @Sendable (_ held: Int) -> Void
    private let onPause: @Sendable (_ count: Int) -> Void

    /// Creates a window with its whole capacity free.
    ///
    /// Bulk work is delayed by the `clock`. `onChange` gets the number of targets in flight at every change; it is
    /// called under a lock and must be quick. `onPause` gets the number of bulk targets that wait because there is
    /// urgent work.
    init(
        capacity: Int,
        pace: BulkRateLimiter = BulkRateLimiter(rate: nil),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onChange: @escaping @Sendable (_ held: Int) -> Void = { _ in },
        onPause: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) {
        let shares = FairWindowAllocator(capacity: capacity)
        self.capacity = shares.free
        self.clock = clock
        self.now = now
        self.onChange = onChange
        self.onPause = onPause
        self.state = Mutex(State(shares: shares, pace: pace))
    }

    /// Waits for the turn of the lane (``BulkRateLimiter``), and then for a part of the window
    /// (``FairWindowAllocator/take(_:for:)``).
    ///
    /// - Returns: the number of targets that can be sent, at most `wanted`; 0 if the task is cancelled.
    func take(_ wanted: Int, for holder: FairWindowAllocator.Holder) async -> Int {
        let wanted = await self.turn(wanted, in: holder.lane)
        guard wanted > 0 else { return 0 }
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.update { state in
                    state.append(Waiter(ticket: ticket, holder: holder, wanted: wanted, continuation: continuation))
                }
                // The handler may have run before the waiter was added.
                if Task.isCancelled { self.withdraw(ticket) }
            }
        } onCancel: {
            self.withdraw(ticket)
        }
    }

    /// Takes a part of the window for urgent work if all of it is free; returns whether it is.
    ///
    /// Not while others of the holder wait, because these would wait for as long as there is such work.
    func takeAtOnce(_ count: Int, for holder: FairWindowAllocator.Holder) -> Bool {
        let now = self.now()
        return self.state.withLock { state in
            state.pace.urgentWorkBegan(now: now)
            guard !state.waiters.contains(where: { $0.holder == holder }) else { return false }
            let granted = state.shares.take(count, for: holder)
            guard granted == count else {
                state.shares.giveBack(granted, from: holder)
                return false
            }
            self.onChange(self.capacity - state.shares.free)
            return true
        }
    }

    /// Waits for the turn of the lane; returns the number of targets in it, 0 if the task is cancelled.
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
        return (try? await self.clock.sleep(for: begin - now)) == nil ? 0 : turn.count
    }

    func giveBack(_ count: Int, from holder: FairWindowAllocator.Holder) {
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
        self.state.withLock { $0.remove(ticket) }?.continuation.resume(returning: 0)
    }
}

final class WindowReservation: Sendable {
    private let window: InFlightWindow
    private let holder: FairWindowAllocator.Holder
    private let held = Mutex(0)

    init(of window: InFlightWindow, for holder: FairWindowAllocator.Holder) {
        self.window = window
        self.holder = holder
    }

    /// Waits for a larger part; see ``InFlightWindow/take(_:for:)``.
    func take(_ wanted: Int) async -> Int {
        let granted = await self.window.take(wanted, for: self.holder)
        self.held.withLock { $0 += granted }
        return granted
    }

    func giveBack(_ count: Int) {
        self.held.withLock { $0 -= count }
        self.window.giveBack(count, from: self.holder)
    }

    func giveBackAll() { self.giveBack(self.held.withLock(\.self)) }
}

/// Divides the window among its holders: a pure state machine.
///
/// A holder gets more while its part stays below a multiple of the free capacity. So a single holder gets most of the
/// window, many holders get fair parts, and a holder whose circuit is unreachable cannot take the parts of others.
struct FairWindowAllocator {
    /// A holder of a part: the batches of one kind in one lane.
    struct Holder: Hashable, Sendable {
        let lane: Lane
        let kind: RoutingKey

        /// The most that a holder can hold, as a multiple of the free capacity: urgent work leaves little, bulk work a
        /// third.
        fileprivate var factor: Int { self.lane == .urgent ? 8 : 2 }
    }

    private(set) var free: Int

    private var held: [Holder: Int] = [:]
    private let capacity: Int

    /// `capacity` is the number of targets that may be in flight, at least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
        self.free = self.capacity
    }

    /// Grants a part of the window to a holder: at most `wanted`; 0 if the holder must wait.
    ///
    /// A holder without a part gets something if anything is free. Other holders get all of `wanted` or nothing, so
    /// that chunks stay large. `wanted` is at least 1.
    mutating func take(_ wanted: Int, for holder: Holder) -> Int {
        let wanted = min(max(1, wanted), self.capacity)
        let held = self.held[holder, default: 0]
        let granted: Int
        if wanted <= self.free, held + wanted <= holder.factor * (self.free - wanted) {
            granted = wanted
        } else if held == 0, self.free > 0 {
            granted = min(wanted, max(1, self.free * holder.factor / (1 + holder.factor)))
        } else {
            return 0
        }
        self.free -= granted
        self.held[holder] = held + granted
        return granted
    }

    mutating func giveBack(_ count: Int, from holder: Holder) {
        self.free += count
        let left = self.held[holder, default: 0] - count
        self.held[holder] = left > 0 ? left : nil
    }
}

/// A rate limit of bulk work while there is urgent work: a pure state machine, the caller passes the time.
///
/// If the processor is busy, an urgent notification waits while a campaign uses it. So bulk work is sent in small, even
/// pieces then, at a rate that leaves capacity.
struct BulkRateLimiter {
    /// The time after urgent work for which more of it is expected.
    static let attention: Duration = .milliseconds(200)

    /// The time in which one piece of bulk work is sent.
    static let turn: Duration = .milliseconds(5)

    private let rate: Int?
    private let piece: Int
    private var attentiveUntil: ContinuousClock.Instant?
    private var nextTurn: ContinuousClock.Instant?

    /// `rate` is the number of bulk targets per second beside urgent work, at least 1; `nil` does not limit bulk work.
    init(rate: Int?) {
        self.rate = rate.map { max(1, $0) }
        // Cannot trap: a small part of a number fits where the number does.
        self.piece = self.rate.map { max(1, Int(Double($0) * (Self.turn / .seconds(1)))) } ?? .max
    }

    mutating func urgentWorkBegan(now: ContinuousClock.Instant) {
        self.attentiveUntil = now.advanced(by: Self.attention)
    }

    /// Reserves the next turn of bulk work: the number of targets, at most `wanted`, and the time; `nil` means at once.
    mutating func bulkTurn(
        _ wanted: Int,
        now: ContinuousClock.Instant
    )
        -> (count: Int, begin: ContinuousClock.Instant?)
    {
        guard let rate, let attentiveUntil, now < attentiveUntil else { return (wanted, nil) }
        let count = min(wanted, self.piece)
        let begin = max(now, self.nextTurn ?? now)
        self.nextTurn = begin.advanced(by: .seconds(1) * count / rate)
        return (count, begin > now ? begin : nil)
    }
}
