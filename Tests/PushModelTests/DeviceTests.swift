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
            (DeviceProfile(timeZone: "Mars/Olympus"), "timeZone"),
            (DeviceProfile(timeZone: "GMT+2"), "timeZone"),
            (DeviceProfile(timeZone: String(repeating: "A", count: 65)), "timeZone"),
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

    @Test("an alias is a time zone, and the failure of an unknown one says which it is")
    func timeZones() throws {
        for name in ["Asia/Calcutta", "Asia/Kolkata", "US/Pacific", "UTC", "GMT", "Etc/GMT-14"] {
            #expect(DeviceProfile(timeZone: name).validate().isEmpty, "\(name)")
        }
        let failure = try #require(DeviceProfile(timeZone: "Mars/Olympus").validate().first)
        #expect(failure.rule == "the IANA name of a time zone, such as 'Europe/Zurich'")
        #expect(failure.value == "'Mars/Olympus'")
        #expect(DeviceProfile(timeZone: "a\u{0}b").validate().map(\.value) == ["3 bytes"])
    }
}
