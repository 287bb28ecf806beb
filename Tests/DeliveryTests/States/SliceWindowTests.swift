// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel
import Testing

@testable import Delivery

@Suite("The window of slices")
struct SliceWindowTests {
    @Test("slices follow one another without gaps, as many at once as the window holds")
    func slices() {
        var window = SliceWindow(cursor: 3, end: 10, size: 3, limit: 2)
        #expect(window.takeSlice() == 3..<6)
        #expect(window.takeSlice() == 6..<9)
        #expect(window.takeSlice() == nil)
        window.finish(SliceResult(range: 3..<6))
        // Finished is not settled yet.
        #expect(window.takeSlice() == nil)
        #expect(window.takeSettleable()?.range == 3..<6)
        #expect(window.takeSlice() == 9..<10)
    }

    @Test("a slice that ends early waits for those before it, and is settled with them")
    func contiguous() {
        var window = SliceWindow(cursor: 0, end: 6, size: 2, limit: 3)
        for _ in 0..<3 { _ = window.takeSlice() }
        var second = SliceResult(range: 2..<4)
        second.fail([3], .failed(.deadline))
        window.finish(second)
        #expect(window.takeSettleable() == nil)
        window.finish(SliceResult(range: 0..<2))
        let part = window.takeSettleable()
        #expect(part?.range == 0..<4)
        #expect(part?.failures == [Settlement.Failure(index: 3, outcome: .failed(.deadline))])
        #expect(!window.isDone)
        window.finish(SliceResult(range: 4..<6))
        #expect(window.takeSettleable()?.range == 4..<6)
        #expect(window.isDone)
    }

    @Test("nothing is settled from the first target without an outcome on")
    func openTargets() {
        var window = SliceWindow(cursor: 0, end: 8, size: 4, limit: 2)
        for _ in 0..<2 { _ = window.takeSlice() }
        var first = SliceResult(range: 0..<4)
        first.fail([0, 3], .failed(.connection))
        first.leaveOpen([2], because: .cancelled)
        window.finish(first)
        window.finish(SliceResult(range: 4..<8))
        let part = window.takeSettleable()
        #expect(part?.range == 0..<2)
        #expect(part?.failures.map(\.index) == [0])
        #expect(window.takeSettleable() == nil)
        #expect(window.cursor == 2)
    }

    @Test(
        "indices with gaps become ranges without",
        arguments: [
            ([], []),
            ([4], [4..<5]),
            ([1, 2, 3], [1..<4]),
            ([0, 2, 3, 7], [0..<1, 2..<4, 7..<8]),
        ] as [([Int], [Range<Int>])]
    )
    func runs(indices: [Int], ranges: [Range<Int>]) {
        #expect(SliceSender.runs(of: indices) == ranges)
    }
}
