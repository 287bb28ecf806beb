// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("Room for bulk work on a connection")
struct BulkRoomTests {
    @Test(
        "is what keeps the connection busy: more with the round trip, never more than is configured",
        arguments: [(0, 64), (1, 67), (50, 214), (100, 256), (3_600_000, 256)]
    )
    func roundTrip(milliseconds: Int64, expected: Int) {
        let room = BulkRoom(APNsClientConfiguration())
        let time = TimeAmount.milliseconds(milliseconds)
        #expect(room.requests(1000, of: 1000, beside: 0, roundTrip: time) == expected)
        #expect(room.requests(1000, of: 1000, beside: expected, roundTrip: time) == 0)
    }

    @Test("leaves streams to urgent work, where there are more than a few")
    func reserve() {
        let room = BulkRoom(APNsClientConfiguration())
        #expect(room.requests(90, of: 1000, beside: 0, roundTrip: .hours(1)) == 40)
        #expect(room.requests(1, of: 1, beside: 0, roundTrip: .hours(1)) == 1)
    }
}
