// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("Lists of deferred targets")
struct DeferralListTests {
    private static let time = Date(millisecondsSince1970: 1_767_225_600_123)

    @Test("deferrals come back as they were, with the largest counts too")
    func roundTrip() throws {
        let deferrals = [
            Deferral(index: 0, notBefore: Self.time), Deferral(index: 1, notBefore: Self.time),
            Deferral(index: 2, attempts: 1, notBefore: Self.time),
            Deferral(index: 7, attempts: 70_000, delays: 65_535, notBefore: Date(timeIntervalSince1970: -1.5)),
            Deferral(index: 9999, delays: 300, notBefore: .distantFuture),
        ]
        #expect(deferrals[3].attempts == 65_535)
        #expect(try DeferralList.decode(DeferralList.encode(deferrals)) == deferrals)
        #expect(try DeferralList.decode(DeferralList.encode([])).isEmpty)
    }

    @Test("a whole slice on its way takes 17 bytes")
    func size() throws {
        let slice = (3000..<4000).map { Deferral(index: $0, notBefore: Self.time) }
        let bytes = DeferralList.encode(slice)
        #expect(bytes.count == 17)
        #expect(try DeferralList.decode(bytes) == slice)
    }

    @Test(
        "corrupt lists are refused, with the place",
        arguments: [
            ([], 0), ([2], 0), ([1, 0], 2),
            // A run of none, one that ends behind the last target, and two out of order.
            ([1] + Array(repeating: 0, count: 16), 1),
            ([1, 39, 15, 0, 2] + Array(repeating: 0, count: 12), 1),
            ([1, 0, 5, 0, 1] + Array(repeating: 0, count: 12) + [0, 5, 0, 1] + Array(repeating: 0, count: 12), 17),
        ] as [([UInt8], Int)]
    )
    func damaged(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: DeferralListError.self) { try DeferralList.decode(bytes) }
        #expect(error?.offset == offset)
    }
}
