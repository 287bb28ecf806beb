// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@Suite("Lists of targets")
struct TargetListTests {
    @Test("targets of every token length and both environments come back as they were", arguments: [0, 1, 100])
    func roundTrip(count: Int) throws {
        let targets = try (0..<count).map { number in
            Target(
                token: try DeviceToken(bytes: Array(repeating: UInt8(number), count: number % 100 + 1)),
                environment: number.isMultiple(of: 3) ? .production : .sandbox
            )
        }
        #expect(Array(try TargetList(encoded: TargetList(targets).encoded)) == targets)
    }

    @Test("ten thousand targets of 32 bytes take 340,001 bytes")
    func size() throws {
        let target = Target(token: try DeviceToken(bytes: Array(repeating: 9, count: 32)), environment: .production)
        #expect(TargetList(Array(repeating: target, count: 10_000)).encoded.count == 340_001)
    }

    @Test(
        "corrupt lists are refused, with the place",
        arguments: [
            ([], 0), ([2], 0), ([1, 0], 1), ([1, 2, 1, 5], 1), ([1, 0, 0], 1), ([1, 0, 1, 5, 0, 2, 5], 4),
            ([1, 0, 101] + Array(repeating: 0, count: 101), 1),
        ] as [([UInt8], Int)]
    )
    func damaged(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: TargetListError.self) { try TargetList(encoded: bytes) }
        #expect(error?.offset == offset)
    }
}
