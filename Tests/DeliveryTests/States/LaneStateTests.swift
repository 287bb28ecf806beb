// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@testable import Delivery

@Suite("The state of a lane")
struct LaneStateTests {
    private let batches = (0..<3).map { BatchID(now: Date(timeIntervalSince1970: Double($0))) }

    @Test("as much is claimed as may run, once for each signal")
    func claims() {
        var state = LaneState(limit: 2)
        #expect(state.takeClaim() == 2)
        #expect(state.takeClaim() == nil)
        #expect(state.begin(self.batches[0]) == true)
        state.signal()
        #expect(state.takeClaim() == 1)
    }

    @Test("a signal that comes while everything is busy is kept until something ends")
    func keepsSignal() {
        var state = LaneState(limit: 1)
        _ = state.takeClaim()
        _ = state.begin(self.batches[0])
        state.signal()
        #expect(state.takeClaim() == nil)
        state.finish(self.batches[0])
        #expect(state.takeClaim() == 1)
    }

    @Test("a batch that is being sent is not sent a second time")
    func onlyOnce() {
        var state = LaneState(limit: 2)
        #expect(state.begin(self.batches[0]) == true)
        #expect(state.begin(self.batches[0]) == false)
        state.finish(self.batches[0])
        #expect(state.begin(self.batches[0]) == true)
    }

    @Test("a closed lane claims nothing")
    func closed() {
        var state = LaneState(limit: 1)
        state.close()
        #expect(state.takeClaim() == nil)
    }
}
