// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Devices")
struct DeviceTests {
    private let registered = Date(timeIntervalSince1970: 1000)

    @Test("a 410 counts from the registration's own millisecond on", arguments: [(999_999, false), (1_000_000, true)])
    func prune(inactiveSince: Int64, counts: Bool) {
        var status = DeviceStatus.active
        let changed = status.prune(
            reason: .unregistered,
            inactiveSince: inactiveSince,
            registeredAt: self.registered
        )
        #expect(changed == counts)
        #expect(status.isReachable == !counts)
    }

    @Test("a second 410 keeps the time of the first")
    func pruneTwice() {
        var status = DeviceStatus.active
        status.prune(reason: .unregistered, inactiveSince: 2_000_000, registeredAt: self.registered)
        let first = status
        #expect(status.prune(reason: .expiredToken, inactiveSince: 3_000_000, registeredAt: self.registered) == false)
        #expect(status == first)
    }

    @Test("a bad token makes an active device suspect, and no other")
    func suspect() {
        let now = Date(timeIntervalSince1970: 2000)
        var status = DeviceStatus.active
        #expect(status.suspect(reason: .badDeviceToken, now: now) == true)
        #expect(status == .suspect(reason: .badDeviceToken, since: now))
        #expect(status.isReachable)
        #expect(status.suspect(reason: .badDeviceToken, now: .distantFuture) == false)
        var invalid = DeviceStatus.invalid(reason: .unregistered, since: now)
        #expect(invalid.suspect(reason: .badDeviceToken, now: now) == false)
    }

    @Test(
        "a registration revives a device whatever it was",
        arguments: [
            DeviceStatus.active, .suspect(reason: .badDeviceToken, since: .distantPast),
            .invalid(reason: .unregistered, since: .distantPast),
        ]
    )
    func register(status: DeviceStatus) {
        var status = status
        status.register()
        #expect(status == .active)
    }

    @Test("a profile within its limits has no failures")
    func validProfile() {
        let profile = DeviceProfile(
            platform: .iOS,
            appVersion: "1",
            systemVersion: String(repeating: "1", count: 32),
            locale: "ja-JP",
            timeZone: "Asia/Tokyo",
            tags: Dictionary(uniqueKeysWithValues: (0..<64).map { ("tag \($0)", "") }),
            topics: Set((0..<256).map { "topic \($0)" })
        )
        #expect(profile.validate().isEmpty)
        #expect(DeviceProfile().validate().isEmpty)
    }

    @Test(
        "a profile beyond its limits is refused by field",
        arguments: [
            (DeviceProfile(platform: DevicePlatform(rawValue: "")), "platform"),
            (DeviceProfile(appVersion: String(repeating: "1", count: 65)), "appVersion"),
            (DeviceProfile(systemVersion: String(repeating: "1", count: 33)), "systemVersion"),
            (DeviceProfile(locale: "a\nb"), "locale"),
            (DeviceProfile(timeZone: ""), "timeZone"),
            (DeviceProfile(tags: ["": "x"]), "tags (name)"),
            (DeviceProfile(tags: ["x": String(repeating: "y", count: 257)]), "tags (value)"),
            (DeviceProfile(tags: Dictionary(uniqueKeysWithValues: (0..<65).map { ("\($0)", "") })), "tags"),
            (DeviceProfile(topics: [""]), "topics"),
            (DeviceProfile(topics: Set((0..<257).map(String.init))), "topics"),
        ]
    )
    func invalidProfile(profile: DeviceProfile, field: String) {
        #expect(profile.validate().map(\.field) == [field])
    }
}
