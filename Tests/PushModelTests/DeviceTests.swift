// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@Suite("Devices")
struct DeviceTests {
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
