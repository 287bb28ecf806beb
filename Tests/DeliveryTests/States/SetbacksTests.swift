// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@testable import Delivery

@Suite("The count of setbacks")
struct SetbacksTests {
    @Test("is kept for a bounded number of batches, of which the oldest is forgotten first")
    func bounded() {
        let setbacks = BatchFailureCounts()
        let ids = (0...BatchFailureCounts.maximumCount).map { number in
            BatchID(now: Date(timeIntervalSince1970: 1_767_225_600 + Double(number)))
        }
        for id in ids { #expect(setbacks.add(id) == 1) }
        #expect(setbacks.batchCount == BatchFailureCounts.maximumCount)
        #expect(setbacks.count(of: ids[0]) == 0)
        #expect(setbacks.add(ids[1]) == 2)
        setbacks.forget(ids[1])
        #expect(setbacks.count(of: ids[1]) == 0)
    }
}
