// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import Testing

@testable import APNsSimulator

@Suite("Binary notifications")
struct BinaryNotificationTests {
    static let samples: [BinaryNotification] = [
        BinaryNotification(command: 0, token: [1, 2, 3], payload: Array("{}".utf8)),
        BinaryNotification(command: 1, identifier: 7, expiry: 1_760_000_000, token: [4, 5], payload: Array("{}".utf8)),
        BinaryNotification(
            command: 2,
            identifier: .max,
            expiry: 0,
            token: [UInt8](repeating: 9, count: 32),
            payload: Array(#"{"aps":{}}"#.utf8),
            priority: 5
        ),
        BinaryNotification(command: 2),
    ]

    @Test("each command is read", arguments: Self.samples)
    func read(notification: BinaryNotification) {
        var parser = BinaryNotificationParser()
        var bytes = ByteBuffer(bytes: notification.wire)
        parser.append(&bytes)
        #expect(parser.next() == .notification(notification))
        #expect(parser.next() == .needsMore)
    }

    @Test("it does not matter in which pieces the bytes come", arguments: [1, 2, 3, 7, 64])
    func pieces(size: Int) {
        var parser = BinaryNotificationParser()
        var read: [BinaryNotification] = []
        var rest = Self.samples.flatMap(\.wire)[...]
        while !rest.isEmpty {
            var piece = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            parser.append(&piece)
            while case .notification(let notification) = parser.next() { read.append(notification) }
        }
        #expect(read == Self.samples)
    }

    @Test(
        "what cannot be read is a violation",
        arguments: [
            ([3], 0), ([255, 1, 2], 0), ([2, 255, 255, 255, 255], 0), ([2, 0, 0, 0, 2, 1, 0], 0),
            // An identifier of three bytes, an expiration of two, a priority of two.
            ([2, 0, 0, 0, 6, 3, 0, 3, 1, 2, 3], 0), ([2, 0, 0, 0, 5, 4, 0, 2, 1, 2], 0),
            ([2, 0, 0, 0, 5, 5, 0, 2, 1, 2], 0),
            // A good identifier, then an item that is longer than the frame.
            ([2, 0, 0, 0, 10, 3, 0, 4, 0, 0, 0, 9, 1, 0, 50], 9),
        ] as [([UInt8], UInt32)]
    )
    func violation(bytes: [UInt8], identifier: UInt32) {
        var parser = BinaryNotificationParser()
        var buffer = ByteBuffer(bytes: bytes)
        parser.append(&buffer)
        #expect(parser.next() == .failure(.protocolError, identifier: identifier))
    }

    @Test("items of unknown numbers are ignored")
    func unknownItem() {
        var parser = BinaryNotificationParser()
        var buffer = ByteBuffer(bytes: [2, 0, 0, 0, 5, 77, 0, 2, 1, 2])
        parser.append(&buffer)
        #expect(parser.next() == .notification(BinaryNotification(command: 2)))
    }

    @Test("what is bad about a notification", arguments: LegacyCase.all)
    func rules(legacyCase: LegacyCase) throws {
        let fixture = try RequestFixture()
        let token = fixture.world.token(of: fixture.world.devices[fixture.device].origin)
        var notification = BinaryNotification(command: 2, identifier: 1, token: token.bytes, payload: Array("{}".utf8))
        var topic: String? = RequestFixture.app
        legacyCase.spoil(&notification, &topic)
        let rules = LegacyRules(environment: legacyCase.environment, switches: LegacyOptions())
        let verdict = rules.judge(notification, topic: topic, world: fixture.world, now: fixture.now)
        if let status = legacyCase.status {
            #expect(verdict == .refused(status))
        } else {
            #expect(verdict == .accepted(fixture.world.devices[fixture.device].origin))
        }
    }

    @Test("a notification for an app that is gone is taken, and the feedback service tells of it")
    func gone() throws {
        let fixture = try RequestFixture()
        let index = fixture.world.devices[fixture.device].origin
        fixture.world.endToken(index, now: fixture.now)
        let token = fixture.world.token(of: index).bytes
        let notification = BinaryNotification(command: 0, token: token, payload: Array("{}".utf8))
        let rules = LegacyRules(environment: .sandbox, switches: LegacyOptions())
        let verdict = rules.judge(notification, topic: RequestFixture.app, world: fixture.world, now: fixture.now)
        #expect(verdict == .gone(since: Int64(fixture.now * 1000)))
    }

    @Test("the feedback list names a token once, is emptied by reading, and keeps apps apart")
    func feedback() {
        var list = FeedbackList()
        list.add([1, 2], topic: "a", seconds: 0x0102_0304)
        list.add([1, 2], topic: "a", seconds: 9)
        list.add([3], topic: "b", seconds: 5)
        let entries = list.take(topic: "a")
        #expect(FeedbackList.bytes(entries) == [1, 2, 3, 4, 0, 2, 1, 2])
        #expect(list.take(topic: "a").isEmpty)
        #expect(list.take(topic: "b").count == 1)
    }
}

/// One way to spoil a notification.
struct LegacyCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: LegacyStatus?
    var environment = APNsEnvironment.sandbox
    let spoil: @Sendable (inout BinaryNotification, inout String?) -> Void

    static let all: [LegacyCase] = [
        LegacyCase(testDescription: "nothing", status: nil) { _, _ in },
        LegacyCase(testDescription: "no topic", status: .missingTopic) { $1 = nil },
        LegacyCase(testDescription: "no token", status: .missingDeviceToken) { notification, _ in
            notification.token = []
        },
        LegacyCase(testDescription: "a token of 101 bytes", status: .invalidTokenSize) {
            $0.token = [UInt8](repeating: 1, count: 101)
            _ = $1
        },
        LegacyCase(testDescription: "a token of 31 bytes", status: .invalidTokenSize) {
            $0.token.removeLast()
            _ = $1
        },
        LegacyCase(testDescription: "a token that nobody has", status: .invalidToken) {
            $0.token = [UInt8](repeating: 1, count: 32)
            _ = $1
        },
        LegacyCase(testDescription: "a token of another app", status: .invalidToken) { $1 = "com.example.other" },
        LegacyCase(testDescription: "a token of the other environment", status: .invalidToken, environment: .production)
        {
            _,
            _ in
        },
        LegacyCase(testDescription: "no payload", status: .missingPayload) { notification, _ in
            notification.payload = []
        },
        LegacyCase(testDescription: "a payload of 2049 bytes", status: .invalidPayloadSize) {
            $0.payload = [UInt8](repeating: 0x20, count: 2047) + Array("{}".utf8)
            _ = $1
        },
        LegacyCase(testDescription: "a payload of 257 bytes with command 1", status: .invalidPayloadSize) {
            $0.command = 1
            $0.payload = [UInt8](repeating: 0x20, count: 255) + Array("{}".utf8)
            _ = $1
        },
        LegacyCase(testDescription: "a payload that is no JSON", status: .processingError) {
            $0.payload = Array("hello".utf8)
            _ = $1
        },
        LegacyCase(testDescription: "priority 7", status: .processingError) {
            $0.priority = 7
            _ = $1
        },
    ]
}

extension BinaryNotification {
    /// The notification as it is sent.
    var wire: [UInt8] {
        func bytes(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        func string(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
        switch self.command {
        case 0: return [0] + string(self.token) + string(self.payload)
        case 1:
            return [1] + bytes(self.identifier) + bytes(self.expiry ?? 0) + string(self.token) + string(self.payload)
        default:
            var items: [UInt8] = []
            if !self.token.isEmpty { items += [1] + string(self.token) }
            if !self.payload.isEmpty { items += [2] + string(self.payload) }
            if self.identifier != 0 { items += [3] + string(bytes(self.identifier)) }
            if let expiry = self.expiry { items += [4] + string(bytes(expiry)) }
            if self.priority != 10 { items += [5] + string([self.priority]) }
            return [2] + bytes(UInt32(items.count)) + items
        }
    }
}
