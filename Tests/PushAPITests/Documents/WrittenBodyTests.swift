// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@testable import PushAPI

@Suite("Bodies that write their own JSON are written as JSONEncoder writes them")
struct WrittenBodyTests {
    private static let texts = [
        "", "a", "com.example.app", "Asia/Tokyo", "\"", "\\", "\\\"", "/", "</script>", "\u{8}\u{C}\n\r\t", "\u{0}",
        "\u{1}\u{B}\u{1F}", "\u{7F}", "\u{80}", "é", "e\u{301}", "日本語", "👩‍👩‍👧", "\u{2028}\u{2029}", "\u{FEFF}",
        "\u{10FFFF}",
        "B", "b", "a1", "a10", "a2", "Å", "A\u{30A}", "a very long text without anything to escape in it",
        "ends with \"",
    ]

    private static func text() -> String {
        (0..<Int.random(in: 0...4)).map { _ in self.texts.randomElement() ?? "" }.joined()
    }

    private static func optional<Value>(_ value: @autoclosure () throws -> Value) rethrows -> Value? {
        Bool.random() ? try value() : nil
    }

    private static func count() -> Int { [0, 1, 9, 10, 12_345, Int.max, -1].randomElement() ?? 0 }

    private static func time() -> Date {
        Date(millisecondsSince1970: .random(in: -12_212_553_600_000..<253_402_300_800_000))
    }

    private static func device() throws -> Device {
        Device(
            app: AppID(unchecked: self.text()),
            installation: DeviceID(unchecked: self.text()),
            token: try DeviceToken(bytes: (0..<Int.random(in: 1...40)).map { _ in UInt8.random(in: 0...255) }),
            environment: APNsEnvironment.allCases.randomElement() ?? .sandbox,
            profile: DeviceProfile(
                platform: self.optional(DevicePlatform(rawValue: self.text())),
                appVersion: self.optional(self.text()),
                systemVersion: self.optional(self.text()),
                locale: self.optional(self.text()),
                timeZone: self.optional(self.text()),
                userID: self.optional(UserID(unchecked: self.text())),
                tags: Dictionary((0..<Int.random(in: 0...8)).map { _ in (self.text(), self.text()) }) { $1 },
                topics: Set((0..<Int.random(in: 0...5)).map { _ in self.text() })
            ),
            createdAt: self.time(),
            registeredAt: self.time(),
            seenAt: self.time(),
            status: [
                .active, .suspect(reason: RejectionReason(rawValue: self.text()), since: self.time()),
                .invalid(reason: RejectionReason(rawValue: self.text()), since: self.time()),
            ].randomElement() ?? .active
        )
    }

    private static func outcome(_ index: Int) throws -> OutcomeResponse {
        let device = try self.device()
        let outcomes: [Outcome?] = [
            nil, .delivered, .failed(FailureCode(rawValue: self.text())),
            .rejected(
                Rejection(
                    status: self.count(),
                    reason: RejectionReason(rawValue: self.text()),
                    inactiveSince: self.optional(self.time().millisecondsSince1970)
                )
            ),
        ]
        var body = OutcomeResponse(
            index: index,
            id: self.optional(self.text()),
            apnsID: .random(),
            recipient: Recipient(
                target: device.target,
                device: self.optional(device.installation),
                user: self.optional(UserID(unchecked: self.text()))
            ),
            outcome: outcomes.randomElement() ?? nil
        )
        body.resentBy = self.optional(NotificationID(now: self.time()))
        return body
    }

    private static func notification() throws -> NotificationResponse {
        let now = self.time()
        let notification = PushModel.Notification(
            id: NotificationID(now: now),
            app: AppID(unchecked: self.text()),
            createdAt: now,
            targetCount: self.count(),
            batchCount: self.count(),
            resendOf: self.optional(NotificationID(now: now))
        )
        let counts = OutcomeCounts(
            delivered: self.count(),
            rejected: Dictionary((0..<3).map { _ in (RejectionReason(rawValue: self.text()), 2) }) { $1 },
            failed: Dictionary((0..<3).map { _ in (FailureCode(rawValue: self.text()), 3) }) { $1 }
        )
        let batch = BatchStatus(
            id: BatchID(now: now),
            ordinal: 0,
            lifecycle: BatchLifecycle(targetCount: 1, expiresAt: nil),
            counts: Bool.random() ? counts : OutcomeCounts()
        )
        var body = NotificationResponse(NotificationStatus(notification: notification, batches: [batch]))
        body.apnsIDs = self.optional((0..<Int.random(in: 0...3)).map { _ in .random() })
        body.skipped = SkippedResponse(
            Recipients(
                skippedDevices: (0..<Int.random(in: 0...2)).map { _ in DeviceID(unchecked: self.text()) },
                skippedUsers: (0..<Int.random(in: 0...101)).map { _ in UserID(unchecked: self.text()) }
            )
        )
        body.outcomes = try self.optional(try (0..<Int.random(in: 0...3)).map(self.outcome))
        body.failures = try self.optional(try (0..<Int.random(in: 0...3)).map(self.outcome))
        body.nextCursor = self.optional(self.text())
        body.hasMore = self.optional(Bool.random())
        return body
    }

    /// Compares a body with what `JSONEncoder` makes of its stored properties.
    private func check(_ body: some JSONWritable) throws {
        let expected = try JSONResponseEncoder.bytes(Reflected(value: body))
        let written = JSONResponseEncoder.bytes(body)
        #expect(String(decoding: written, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
        #expect(written == expected)
    }

    @Test("devices and their lists")
    func devices() throws {
        for _ in 0..<500 { try self.check(DeviceResponse(try Self.device())) }
        for count in 0...3 {
            let devices = try (0..<count).map { _ in DeviceResponse(try Self.device()) }
            let list = JSONResponseEncoder.bytes(ListBody("devices", of: devices, nextCursor: count == 1 ? nil : "1"))
            var members = ["devices": Reflected(value: devices)]
            if count != 1 { members["nextCursor"] = Reflected(value: "1") }
            #expect(list == (try JSONResponseEncoder.bytes(members)))
        }
    }

    @Test("notifications, outcomes, and both together")
    func notifications() throws {
        for index in 0..<300 {
            try self.check(try Self.notification())
            try self.check(try Self.outcome(index))
            let body = try Self.notification()
            #expect(JSONResponseEncoder.bytes(body) == (try JSONValue(json: JSONResponseEncoder.bytes(body)).json()))
        }
    }

    @Test("apps")
    func apps() throws {
        for _ in 0..<100 {
            let app = App(
                id: AppID(unchecked: Self.text()),
                name: Self.text(),
                defaultEnvironment: .production,
                createdAt: Self.time()
            )
            let written = JSONResponseEncoder.bytes(AppResponse(app))
            #expect(written == (try JSONValue(json: written).json()))
        }
    }
}

/// Encodes the stored properties of a body by their names, and leaves out those that are `nil`.
private struct Reflected: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }

    let value: Any

    func encode(to encoder: any Encoder) throws {
        if let values = self.value as? [any JSONWritable] {
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(Reflected(value: value)) }
        } else if self.value is any JSONWritable {
            var container = encoder.container(keyedBy: Name.self)
            for case (let label?, let child) in Mirror(reflecting: self.value).children {
                guard let child = Self.present(child) else { continue }
                try container.encode(Reflected(value: child), forKey: Name(stringValue: label))
            }
        } else if let value = self.value as? any Encodable {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private static func present(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}
