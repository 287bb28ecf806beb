// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import Testing
import Work

@testable import Delivery

@Suite("The gate of a lane")
struct LaneGateTests {
    @Test("a lane claims a suspect only while no other one is sent")
    func suspects() throws {
        let pool = SlotPool(count: 1)
        let gate = LaneCoordinator(limit: 4, suspects: pool) { [:] }
        #expect(try #require(gate.nextLimits()).suspects == 1)
        let slot = pool.begin()
        gate.signal()
        #expect(try #require(gate.nextLimits()).suspects == 0)
        slot.end()
        gate.signal()
        #expect(try #require(gate.nextLimits()).suspects == 1)
    }
}
