// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@testable import PushAPI

@Suite("A corrupt entry of a timeline")
struct CorruptTimelineTests {
    @Test("is told with the last place of its batch if its targets are beyond every batch")
    func targets() {
        let batch = BatchID(now: TestTime.start)
        let sending = TimelineEntry.Sending(batch: batch, targets: 60_000..<60_001)
        let body = TimelineEntryResponse.Sending(sending)
        #expect(body.first == batch.apnsID(at: Batch.maximumTargets - 1).description)
        #expect(body.count == 1)
    }
}
