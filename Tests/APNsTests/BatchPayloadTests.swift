// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("The payloads of a batch")
struct BatchPayloadTests {
    private static func list(_ count: Int) throws -> PayloadList {
        PayloadList(try (0..<count).map { try APNsPayload(json: #"{"n":\#($0)}"#) })
    }

    @Test("come back from the store as they were, one for each or one for all", arguments: [0, 1, 300])
    func roundTrip(count: Int) throws {
        let distinct = BatchPayload.distinct(try Self.list(count))
        #expect(try BatchPayload(encoded: distinct.encoded) == distinct)
        let shared = BatchPayload.shared(try APNsPayload(json: #" {"n":1}"#))
        #expect(try BatchPayload(encoded: shared.encoded) == shared)
        #expect(shared.encoded == Array(#" {"n":1}"#.utf8))
    }

    @Test("are chosen by their indices")
    func selecting() throws {
        let list = try Self.list(12)
        #expect(list.selecting([11, 0, 10]) == PayloadList([list[11], list[0], list[10]]))
        #expect(BatchPayload.distinct(list).selecting([3])[0].text == #"{"n":3}"#)
        let shared = BatchPayload.shared(list[5])
        #expect(shared.selecting([3, 4]) == shared)
    }

    @Test("fit as many targets as there are, or any number if all share one")
    func fits() throws {
        #expect(BatchPayload.distinct(try Self.list(2)).fits(targets: 2))
        #expect(!BatchPayload.distinct(try Self.list(2)).fits(targets: 3))
        #expect(BatchPayload.shared(try APNsPayload(json: "{}")).fits(targets: 10_000))
    }

    @Test("that are corrupt are refused, wherever they are cut and whatever stands in their table")
    func damaged() throws {
        let whole = BatchPayload.distinct(try Self.list(20)).encoded
        for end in 0..<whole.count {
            #expect(throws: InvalidValueError.self) { try BatchPayload(encoded: Array(whole[..<end])) }
        }
        for place in 1..<5 {
            var bytes = whole
            bytes[place] ^= 0xFF
            #expect(throws: InvalidValueError.self) { try BatchPayload(encoded: bytes) }
        }
        var unsorted = whole
        unsorted[5 + 3] = 255
        #expect(throws: InvalidValueError.self) { try BatchPayload(encoded: unsorted) }
    }
}
