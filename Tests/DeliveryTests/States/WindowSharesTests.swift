// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@testable import Delivery

@Suite("The window's shares")
struct WindowSharesTests {
    private func holder(_ app: AppID, _ lane: Lane = .bulk) -> FairWindowAllocator.Holder {
        .init(lane: lane, kind: RoutingKey(app: app, environments: [.production], pushType: .alert))
    }

    /// How much a holder gets by slices of 1,000.
    private func fill(_ shares: inout FairWindowAllocator, _ holder: FairWindowAllocator.Holder) -> Int {
        var total = 0
        while case let count = shares.take(1000, for: holder), count > 0 { total += count }
        return total
    }

    @Test("one campaign takes most of the window in whole slices, and leaves the rest to others")
    func alone() {
        var shares = FairWindowAllocator(capacity: 8000)
        #expect(self.fill(&shares, self.holder("a")) == 5000)
        #expect(shares.free == 3000)
    }

    @Test("whoever comes later gets a part, however many hold one already")
    func everyone() {
        var shares = FairWindowAllocator(capacity: 8000)
        for number in 0..<7 {
            let app = AppID(unchecked: "app\(number)")
            #expect(self.fill(&shares, self.holder(app)) > 0, "\(app)")
        }
        #expect(shares.free > 0)
    }

    @Test("urgent work gets most of what bulk work left")
    func urgent() {
        var shares = FairWindowAllocator(capacity: 8000)
        _ = self.fill(&shares, self.holder("a"))
        #expect(self.fill(&shares, self.holder("b", .urgent)) == 2000)
        #expect(shares.take(1, for: self.holder("c", .urgent)) == 1)
    }

    @Test("what is in flight is never more than the window, and all of it comes back", arguments: [1, 3, 100, 8000])
    func bounded(capacity: Int) {
        var shares = FairWindowAllocator(capacity: capacity)
        var held: [(FairWindowAllocator.Holder, Int)] = []
        for number in 0..<50 {
            let holder = self.holder(AppID(unchecked: "app\(number % 7)"), number.isMultiple(of: 2) ? .urgent : .bulk)
            held.append((holder, shares.take(1 + number * 37 % 1000, for: holder)))
            #expect(held.reduce(0) { $0 + $1.1 } + shares.free == capacity)
            #expect(shares.free >= 0)
        }
        for (holder, count) in held { shares.giveBack(count, from: holder) }
        #expect(shares.free == capacity)
        #expect(shares.take(1, for: self.holder("app0")) == 1)
    }

    @Test("returned capacity admits a waiter, and a cancelled waiter stops waiting", .timeLimit(.minutes(20)))
    func waiting() async {
        let window = InFlightWindow(capacity: 1)
        let holder = self.holder("a")
        #expect(await window.take(5, for: holder) == 1)
        await withTaskGroup(of: Int.self) { group in
            group.addTask { await window.take(1, for: holder) }
            group.cancelAll()
            #expect(await group.next() == 0)
        }
        async let next = window.take(1, for: self.holder("b"))
        window.giveBack(1, from: holder)
        #expect(await next == 1)
    }

    @Test("a part is taken at once only if all of it is free")
    func atOnce() {
        let window = InFlightWindow(capacity: 10)
        let (a, b) = (self.holder("a", .urgent), self.holder("b", .urgent))
        #expect(window.takeAtOnce(4, for: a))
        // Another part of 5 would leave 1 of 10.
        #expect(!window.takeAtOnce(5, for: a))
        #expect(window.takeAtOnce(5, for: b))
        #expect(!window.takeAtOnce(2, for: b))
        window.giveBack(5, from: b)
        #expect(window.takeAtOnce(2, for: b))
    }
}
