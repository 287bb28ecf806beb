// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import APNsSimulator

@Suite("The feedback list")
struct FeedbackListTests {
    private static func token(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    @Test("each token is on it once, in order; beyond so many the oldest go, and it is empty once taken")
    func limit() throws {
        var list = FeedbackList()
        let count = FeedbackList.maximumEntries + 2
        for number in 0..<count {
            list.add(Self.token(number), topic: "a", seconds: UInt32(number))
            list.add(Self.token(number), topic: "a", seconds: 0)
        }
        list.add(Self.token(0), topic: "b", seconds: 7)
        list = try JSONDecoder().decode(FeedbackList.self, from: JSONEncoder().encode(list))
        let entries = list.take(topic: "a")
        #expect(entries.map(\.seconds) == (2..<UInt32(count)).map { $0 })
        #expect(list.take(topic: "a").isEmpty)
        #expect(list.take(topic: "b").map(\.token) == [Self.token(0)])
        list.add(Self.token(5), topic: "a", seconds: 1)
        #expect(list.take(topic: "a").count == 1)
    }
}
