// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Limits how many claimed items are processed at the same time; the others are idle or wait for a slot.
///
/// An idle item keeps its lease and gives its slot to others. So stuck items do not keep others from starting, up to
/// ``maximumItems``.
package final class SlotPool: Sendable {
    /// The most items, with or without a slot.
    package static let maximumItems = 1000

    fileprivate enum State {
        case active
        case queued
        case idle
    }

    private struct Items {
        var states: [ObjectIdentifier: State] = [:]
        var active = 0
        /// In the order of their requests.
        var queue: [WorkSlot] = []
        /// Whether more may be claimable.
        var mayHaveMore = true
        /// Whether a claim is due as soon as a slot is free.
        var isShort = false
        var isClosed = false
    }

    private let count: Int
    private let claimsWhenFull: Bool
    private let items = Mutex(Items())
    private let wake = WorkSignal()

    /// A pool of free slots, 1...1000.
    ///
    /// With `claimsWhenFull`, claims happen with a limit of 0 too, for their other effects.
    package init(count: Int, claimsWhenFull: Bool = false) {
        self.count = min(max(1, count), Self.maximumItems)
        self.claimsWhenFull = claimsWhenFull
        self.wake.wake()
    }

    package var wakes: AsyncStream<Void> { self.wake.wakes }

    /// The number of items per slot, rounded up; at least 1.
    package var load: Int { self.items.withLock { max(1, ($0.states.count + self.count - 1) / self.count) } }

    package var hasFreeSlot: Bool { self.items.withLock { self.free($0) > 0 } }

    package func signal() {
        self.items.withLock { $0.mayHaveMore = true }
        self.wake.wake()
    }

    /// How many items can start now; `nil` if nothing is known to wait, or if there is no free slot.
    package func nextLimit() -> Int? {
        self.items.withLock { items in
            guard items.mayHaveMore, !items.isClosed else { return nil }
            let free = self.free(items)
            if free == 0 {
                items.isShort = true
                guard self.claimsWhenFull else { return nil }
            }
            items.mayHaveMore = false
            return free
        }
    }

    /// Gives a number of claimed items their slots.
    ///
    /// If there `isMore`, the next free slot is reason for a claim.
    package func begin(_ count: Int, isMore: Bool) -> [WorkSlot] {
        let slots = (0..<count).map { _ in self.begin() }
        if isMore {
            self.items.withLock { items in
                if self.free(items) > 0 || count == 0 { items.mayHaveMore = true } else { items.isShort = true }
            }
        }
        return slots
    }

    /// Starts an item, which requests its slot later if it `isIdle`; ``WorkSlot/end(isNews:)`` has to follow.
    package func begin(isIdle: Bool = false) -> WorkSlot {
        let slot = WorkSlot(of: self)
        self.items.withLock { items in
            items.states[ObjectIdentifier(slot)] = isIdle ? .idle : .active
            if !isIdle { items.active += 1 }
        }
        return slot
    }

    /// Nothing more is claimed, and no item waits for a slot.
    package func close() {
        let queue = self.items.withLock { items in
            items.isClosed = true
            defer { items.queue = [] }
            for slot in items.queue { items.states[ObjectIdentifier(slot)] = .idle }
            return items.queue
        }
        for slot in queue { slot.grant() }
        self.wake.finish()
    }

    private func free(_ items: Items) -> Int {
        max(0, min(self.count - items.active, Self.maximumItems - items.states.count))
    }

    // MARK: For a slot

    fileprivate func request(_ slot: WorkSlot) -> Bool {
        self.items.withLock { items in
            switch items.states[ObjectIdentifier(slot)] {
            case .active, nil: return true
            case .queued: return false
            case .idle: break
            }
            if items.isClosed { return true }
            guard items.active < self.count else {
                items.states[ObjectIdentifier(slot)] = .queued
                items.queue.append(slot)
                return false
            }
            items.states[ObjectIdentifier(slot)] = .active
            items.active += 1
            return true
        }
    }

    /// Changes the state of an item, or ends it.
    ///
    /// A slot that it had goes to the first item in the queue.
    fileprivate func leave(_ slot: WorkSlot, as state: State?, isNews: Bool) {
        let (next, isClaimable) = self.items.withLock { items -> (WorkSlot?, Bool) in
            let former = items.states.removeValue(forKey: ObjectIdentifier(slot))
            items.states[ObjectIdentifier(slot)] = former == nil ? nil : state
            switch former {
            case .active: items.active -= 1
            case .queued: items.queue.removeAll { $0 === slot }
            case .idle: break
            case nil: return (nil, false)
            }
            if isNews { items.mayHaveMore = true }
            guard items.active < self.count, !items.queue.isEmpty else {
                if items.active < self.count, items.isShort {
                    items.isShort = false
                    items.mayHaveMore = true
                }
                return (nil, items.mayHaveMore)
            }
            let next = items.queue.removeFirst()
            items.states[ObjectIdentifier(next)] = .active
            items.active += 1
            return (next, items.mayHaveMore)
        }
        next?.grant()
        if isClaimable { self.wake.wake() }
    }
}

/// The slot of one item.
///
/// One task at a time uses it.
package final class WorkSlot: Sendable {
    private let pool: SlotPool
    private let granted = WorkSignal()

    fileprivate init(of pool: SlotPool) { self.pool = pool }

    package var load: Int { self.pool.load }

    /// The item is idle: others can use the slot.
    package func park() { self.pool.leave(self, as: .idle, isNews: false) }

    /// Requests a slot again.
    ///
    /// Returns whether the item has one; otherwise wait with ``isGranted()``.
    package func request() -> Bool { self.pool.request(self) }

    /// Waits for the requested slot, until the task is cancelled or the pool is closed.
    package func isGranted() async { for await _ in self.granted.wakes { return } }

    /// Ends the item; does nothing if it has ended.
    ///
    /// `isNews` is whether more may be claimable now.
    package func end(isNews: Bool = true) { self.pool.leave(self, as: nil, isNews: isNews) }

    fileprivate func grant() { self.granted.wake() }
}

/// The slots of a pool as the capacity of a claim loop.
package struct Slots<Item: Sendable>: WorkCapacity {
    package let pool: SlotPool

    package init(_ count: Int, claimsWhenFull: Bool = false) {
        self.pool = SlotPool(count: count, claimsWhenFull: claimsWhenFull)
    }

    package var wakes: AsyncStream<Void> { self.pool.wakes }

    package func signal() { self.pool.signal() }

    package func nextLimits() -> Int? { self.pool.nextLimit() }

    package func admit(_ claimed: Claimed<Item>, within limit: Int) -> [(Item, WorkSlot)] {
        let isMore = claimed.hasMore || limit > 0 && claimed.items.count >= limit
        return Array(zip(claimed.items, self.pool.begin(claimed.items.count, isMore: isMore)))
    }

    package func close() { self.pool.close() }
}
