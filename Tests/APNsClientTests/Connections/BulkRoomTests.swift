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
        let room = BulkStreamLimit(APNsClientConfiguration())
        #expect(room.limit(roundTrip: .milliseconds(milliseconds)) == expected)
    }

    @Test("is never closed altogether")
    func least() {
        var configuration = APNsClientConfiguration()
        configuration.maximumBulkStreams = 0
        #expect(BulkStreamLimit(configuration).limit(roundTrip: .zero) == 1)
    }
}
