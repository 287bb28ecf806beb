// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Who belongs to an audience")
struct AudienceMatchingTests {
    private static let time = Date(timeIntervalSince1970: 1_767_225_600)

    private func device(_ change: (inout DeviceProfile) -> Void = { _ in }) throws -> Device {
        var profile = DeviceProfile(
            platform: .iOS,
            appVersion: "2.10.1",
            locale: "de_AT",
            timeZone: "Europe/Vienna",
            userID: "anna",
            tags: ["city": "Wien", "plan": ""],
            topics: ["news"]
        )
        change(&profile)
        return Device(
            app: "com.example.app",
            installation: "phone",
            token: try DeviceToken(bytes: [1, 2, 3]),
            environment: .sandbox,
            profile: profile,
            createdAt: Self.time,
            registeredAt: Self.time,
            seenAt: Self.time
        )
    }

    @Test(
        "conditions hold for what the device told",
        arguments: [
            (.all, true), (.topic("news"), true), (.topic("New"), false),
            (.tag(TagCondition(name: "city")), true), (.tag(TagCondition(name: "City")), false),
            (.tag(TagCondition(name: "city", match: .equals("Wien"))), true),
            (.tag(TagCondition(name: "city", match: .equals("wien"))), false),
            (.tag(TagCondition(name: "city", match: .contains("ie"))), true),
            (.tag(TagCondition(name: "plan", match: .equals(""))), true),
            (.locale(LocaleRange("de")), true), (.locale(LocaleRange("DE-at")), true),
            (.locale(LocaleRange("d")), false), (.locale(LocaleRange("de-AT-x")), false),
            (.timeZone("Europe/Vienna"), true), (.platform(.iOS), true), (.platform(.macOS), false),
            (.appVersion(AppVersionRange(atLeast: AppVersion("2.9"))), true),
            (.appVersion(AppVersionRange(below: AppVersion("2.10.1"))), false),
            (.users(["ben", "anna"]), true), (.users(["ben"]), false),
            (.environment(.sandbox), true), (.environment(.production), false),
            (.seen(DateRange(after: Self.time)), true), (.seen(DateRange(before: Self.time)), false),
            (.registered(DateRange(after: Self.time.addingTimeInterval(0.001))), false),
            (.and([.all, .topic("news")]), true), (.and([.all, .topic("x")]), false), (.or([.topic("x"), .all]), true),
            (.not(.topic("x")), true),
        ] as [(Audience, Bool)]
    )
    func conditions(audience: Audience, expected: Bool) throws {
        #expect(audience.matches(try self.device()) == expected)
    }

    @Test(
        "what a device did not tell makes a condition false, and its opposite true",
        arguments: [
            .tag(TagCondition(name: "x")), .locale(LocaleRange("de")), .timeZone("UTC"), .platform(.iOS),
            .appVersion(AppVersionRange(atLeast: AppVersion("0"))), .users(["anna"]), .topic("news"),
        ] as [Audience]
    )
    func unknown(audience: Audience) throws {
        let device = try self.device { $0 = DeviceProfile() }
        #expect(!audience.matches(device))
        #expect(Audience.not(audience).matches(device))
    }
}

@Suite("App versions")
struct AppVersionTests {
    @Test("are compared number by number")
    func order() {
        let texts = ["0", "0.0.1", "0.9", "1", "1.0.1", "1.2", "1.10", "2.9", "2.10", "2.10.0.1", "10", "123456789012"]
        let versions = texts.compactMap { AppVersion($0) }
        #expect(versions.count == texts.count)
        #expect(versions.shuffled().sorted() == versions)
        #expect(versions.map(\.sortKey).shuffled().sorted() == versions.map(\.sortKey))
    }

    @Test(
        "that mean the same are equal",
        arguments: [("2", "2.0"), ("1.2.0.0", "1.2"), ("007.1", "7.01"), ("2.0-rc1", "2")]
    )
    func equal(left: String, right: String) throws {
        #expect(try #require(AppVersion(left)) == #require(AppVersion(right)))
    }

    @Test("begin with a number", arguments: ["", "beta", "v2", ".1", "-1", "1234567890123456789"])
    func none(text: String) {
        #expect(AppVersion(text) == nil)
    }
}
