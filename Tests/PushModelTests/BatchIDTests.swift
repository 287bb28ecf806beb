// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import Testing

@Suite("Batch ids")
struct BatchIDTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600.123)

    @Test("a batch id is a version 7 UUID of its time whose low 14 bits are zero", arguments: 0..<50 as Range<UInt64>)
    func layout(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        let id = BatchID(now: self.now, using: &generator)
        #expect(id.value.low & 0x3FFF == 0)
        #expect(id.value.high >> 16 == 1_767_225_600_123)
        #expect(id.value.high >> 12 & 0xF == 7)
        #expect(id.value.low >> 62 == 0b10)
        #expect(BatchID(id.value) == id)
    }

    @Test("an apns-id leads back to its batch and index", arguments: [0, 1, 4095, 9_999])
    func roundTrip(index: Int) {
        let id = BatchID(now: self.now)
        let located = BatchID.locate(id.apnsID(at: index))
        #expect(located.batch == id)
        #expect(located.index == index)
    }

    @Test("every target of a full batch has an apns-id of its own, in order")
    func distinct() {
        let id = BatchID(now: self.now)
        let ids = (0..<Batch.maximumTargets).map(id.apnsID(at:))
        #expect(Set(ids).count == Batch.maximumTargets)
        #expect(ids == ids.sorted())
    }

    @Test("an index outside of a batch leaves the batch in the apns-id", arguments: [-1, 10_000, .max])
    func outside(index: Int) {
        let id = BatchID(now: self.now)
        #expect(BatchID.locate(id.apnsID(at: index)).batch == id)
    }

    @Test("batch ids sort by the time at which they were made")
    func order() {
        let ids = (0..<100).map { BatchID(now: self.now.addingTimeInterval(Double($0) / 1000)) }
        #expect(ids == ids.sorted())
    }

    @Test("a batch id survives JSON, and an id with an index is refused")
    func json() throws {
        let id = BatchID(now: self.now)
        let encoder = JSONEncoder()
        #expect(try encoder.encode(id) == encoder.encode(id.description))
        #expect(try JSONDecoder().decode(BatchID.self, from: encoder.encode(id)) == id)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(BatchID.self, from: encoder.encode(id.apnsID(at: 1)))
        }
    }

    @Test("a notification id survives its text form, in either case")
    func notificationID() throws {
        let id = NotificationID(now: self.now)
        #expect(NotificationID(id.description) == id)
        #expect(NotificationID(id.description.uppercased()) == id)
        #expect(NotificationID("no uuid") == nil)
        #expect(try JSONDecoder().decode(NotificationID.self, from: JSONEncoder().encode(id)) == id)
    }

    @Test("milliseconds survive a date", arguments: [0, 1, 999, 1_767_225_600_123, 4_102_444_799_999] as [Int64])
    func milliseconds(value: Int64) {
        #expect(Date(millisecondsSince1970: value).millisecondsSince1970 == value)
    }
}
