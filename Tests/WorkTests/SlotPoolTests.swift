// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import Work

@Suite("A pool of slots", .timeLimit(.minutes(20)))
struct SlotPoolTests {
    @Test("an idle item gives its slot to others, and slots are granted in the order of the requests")
    func order() async {
        let pool = SlotPool(count: 1)
        #expect(pool.nextLimit() == 1)
        let first = pool.begin()
        pool.signal()
        #expect(pool.nextLimit() == nil)
        first.park()
        #expect(pool.nextLimit() == 1)
        let second = pool.begin()
        let third = pool.begin(isIdle: true)
        #expect(pool.load == 3)
        #expect(!first.request())
        #expect(!third.request())
        second.park()
        await first.isGranted()
        #expect(first.request())
        #expect(!second.request())
        first.end()
        await third.isGranted()
        third.end()
        await second.isGranted()
        second.end()
        #expect(pool.nextLimit() == 1)
        #expect(pool.load == 1)
    }

    @Test("a free slot is reason for a claim if the last claim had no slot, and otherwise only the end of an item")
    func shortage() async {
        let pool = SlotPool(count: 2)
        var wakes = pool.wakes.makeAsyncIterator()
        await wakes.next()
        #expect(pool.nextLimit() == 2)
        let slots = pool.begin(2, isMore: true)
        slots[0].park()
        await wakes.next()
        #expect(pool.nextLimit() == 1)
        #expect(slots[0].request())
        slots[0].park()
        slots[1].park()
        #expect(pool.nextLimit() == nil)
        slots[0].end()
        await wakes.next()
        #expect(pool.nextLimit() == 2)
        // An item that says that nothing is new.
        slots[1].end(isNews: false)
        #expect(pool.nextLimit() == nil)
        pool.close()
        #expect(await wakes.next() == nil)
    }

    @Test("a pool that claims when it is full does so with a limit of 0, once for each signal")
    func full() {
        let pool = SlotPool(count: 1, claimsWhenFull: true)
        #expect(pool.nextLimit() == 1)
        let slot = pool.begin()
        pool.signal()
        #expect(pool.nextLimit() == 0)
        #expect(pool.nextLimit() == nil)
        _ = pool.begin(0, isMore: true)
        #expect(pool.nextLimit() == 0)
        slot.end()
        #expect(pool.nextLimit() == 1)
    }

    @Test("the number of items is bounded, whether or not they have a slot")
    func bounded() {
        let pool = SlotPool(count: 4)
        let slots = (0..<SlotPool.maximumItems - 1).map { _ in pool.begin(isIdle: true) }
        #expect(pool.nextLimit() == 1)
        #expect(pool.load == 250)
        let last = pool.begin()
        last.park()
        pool.signal()
        #expect(pool.nextLimit() == nil)
        slots[0].end()
        #expect(pool.nextLimit() == 1)
    }

    @Test("a closed pool lets all items end and starts none")
    func closed() async {
        let pool = SlotPool(count: 1)
        let active = pool.begin()
        let waiting = pool.begin(isIdle: true)
        #expect(!waiting.request())
        pool.close()
        await waiting.isGranted()
        #expect(pool.nextLimit() == nil)
        active.park()
        #expect(active.request())
        active.end()
        waiting.end()
        active.end()
        #expect(pool.load == 1)
    }

    @Test("a slot is not kept for an item whose wait was cancelled")
    func cancelled() async {
        let pool = SlotPool(count: 1)
        let active = pool.begin()
        let waiting = pool.begin(isIdle: true)
        #expect(!waiting.request())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await waiting.isGranted() }
            group.cancelAll()
        }
        waiting.end()
        active.park()
        #expect(pool.nextLimit() == 1)
        #expect(active.request())
        active.end()
    }
}
