// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Notification log")
struct NotificationLogTests {
    private struct Fixture {
        var log: NotificationLog
        var devices = DeviceTable(seed: 1)
        var contents = ContentTable()
        var topics = TopicTable()
        let topic: TopicIndex
        var request = RequestHead()

        init(deviceLimit: Int, limit: Int, devices: Int, contentLimit: Int = .max) {
            self.log = NotificationLog(deviceLimit: deviceLimit, limit: limit, contentLimit: contentLimit)
            self.topic = self.topics.index(of: "com.example.app")
            for _ in 0..<devices {
                let origin = RegistrationIndex(rawValue: 0)
                _ = self.devices.add(DeviceRow(origin: origin, registrations: 0, isProduction: false))
            }
        }

        mutating func append(_ number: UInt64, to device: Int32, payload: String = "{}") {
            self.request.reset()
            Array(payload.utf8).withUnsafeBytes { self.request.appendBody($0) }
            let facts = ParsedRequestHeaders(self.request, switches: APNsSimulatorOptions())
            let entry = NotificationLogEntry(
                apnsID: APNsID(high: 0, low: number),
                namesID: true,
                content: self.contents.retain(self.request, facts, topic: self.topic),
                device: DeviceIndex(rawValue: device),
                acceptedAt: 10,
                receivedAt: 12.5
            )
            self.log.append(entry, devices: &self.devices, contents: &self.contents)
        }

        func numbers(_ device: Int32) -> [UInt64] {
            self.log.entries(of: self.devices[DeviceIndex(rawValue: device)]).map(\.apnsLow)
        }
    }

    @Test("a device keeps its newest notifications and counts the rest")
    func deviceLimit() {
        var fixture = Fixture(deviceLimit: 3, limit: 100, devices: 2)
        for number in 1...5 { fixture.append(UInt64(number), to: 0) }
        fixture.append(6, to: 1)
        #expect(fixture.numbers(0) == [3, 4, 5])
        #expect(fixture.numbers(1) == [6])
        #expect(fixture.devices[DeviceIndex(rawValue: 0)].dropped == 2)
        #expect(fixture.log.count == 4)
    }

    @Test("beyond the limit of all, the oldest of all go")
    func limit() {
        var fixture = Fixture(deviceLimit: 100, limit: 4, devices: 3)
        for number in 1...6 { fixture.append(UInt64(number), to: Int32(number % 3)) }
        #expect(fixture.numbers(0) == [3, 6])
        #expect(fixture.numbers(1) == [4])
        #expect(fixture.numbers(2) == [5])
        #expect(fixture.log.count == 4)
    }

    @Test("a busy device leaves gaps that are closed, and takes nothing from a quiet one")
    func compaction() {
        var fixture = Fixture(deviceLimit: 2, limit: 10, devices: 3)
        fixture.append(1, to: 0)
        fixture.append(2, to: 2)
        for number in 3..<200_000 { fixture.append(UInt64(number), to: 1) }
        #expect(fixture.log.capacity < 70_000)
        fixture.append(200_000, to: 0)
        fixture.append(200_001, to: 2)
        #expect(fixture.numbers(0) == [1, 200_000])
        #expect(fixture.numbers(1) == [199_998, 199_999])
        #expect(fixture.numbers(2) == [2, 200_001])
    }

    @Test("notifications that are alike share their content; one that nobody holds any more is forgotten")
    func sharing() {
        var fixture = Fixture(deviceLimit: 2, limit: 100, devices: 2)
        fixture.append(1, to: 0, payload: #"{"a":1}"#)
        fixture.append(2, to: 1, payload: #"{"a":1}"#)
        #expect(fixture.contents.count == 1)
        fixture.append(3, to: 0, payload: #"{"a":2}"#)
        #expect(fixture.contents.count == 2)
        for number in 4...5 { fixture.append(UInt64(number), to: 0, payload: #"{"a":3}"#) }
        #expect(fixture.contents.count == 2)
        for number in 6...2000 { fixture.append(UInt64(number), to: 0, payload: #"{"n":\#(number)}"#) }
        #expect(fixture.contents.count == 3)
    }

    @Test("an entry has 40 bytes and a device 32, and times are kept to the millisecond")
    func sizes() {
        #expect(MemoryLayout<NotificationLogEntry>.stride == 40)
        #expect(MemoryLayout<DeviceRow>.stride == 32)
        var fixture = Fixture(deviceLimit: 2, limit: 2, devices: 1)
        fixture.append(1, to: 0)
        let entry = fixture.log.entries(of: fixture.devices[DeviceIndex(rawValue: 0)])[0]
        #expect(entry.receivedAt == 12.5)
        #expect(entry.namesID)
    }

    @Test("beyond the memory that contents may take, the oldest of all go")
    func memory() {
        var fixture = Fixture(deviceLimit: 100, limit: .max, devices: 2, contentLimit: 10_000)
        let padding = String(repeating: "x", count: 936)
        for number in 1...50 {
            fixture.append(
                UInt64(number),
                to: Int32(number % 2),
                payload: #"{"n":\#(1000 + number),"x":"\#(padding)"}"#
            )
        }
        #expect((9...10).contains(fixture.log.count))
        #expect(fixture.contents.size <= 11_100)
        #expect(fixture.numbers(0).last == 50)
        #expect(fixture.numbers(1).last == 49)
        for number in 51...150 { fixture.append(UInt64(number), to: Int32(number % 2)) }
        #expect(fixture.log.count > 100)
        fixture.append(200, to: 0, payload: #"{"x":"\#(String(repeating: "y", count: 20_000))"}"#)
        #expect(fixture.numbers(0).last == 200)
    }
}
