// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Rules")
struct RuleTests {
    @Test("a request in order is accepted")
    func accepted() throws {
        let fixture = try RequestFixture()
        let registration = fixture.world.devices[fixture.device].origin
        #expect(fixture.judge() == .accepted(registration))
    }

    @Test("every header in its proper form is accepted")
    func properHeaders() throws {
        let fixture = try RequestFixture()
        fixture.set(.apnsID, "eabeae54-14a8-11e5-b60b-1697f925ec7b")
        fixture.set(.expiration, "1760000060")
        fixture.set(.priority, "5")
        fixture.set(.collapseID, String(repeating: "x", count: 64))
        fixture.set(.pushType, "alert")
        #expect(fixture.refusal() == nil)
    }

    @Test("a request that breaks one rule is refused with that rule's reason", arguments: Violation.all)
    func oneViolation(violation: Violation) throws {
        let fixture = try RequestFixture()
        try violation.spoil(fixture)
        let refusal = fixture.refusal()
        #expect(refusal == violation.reason)
    }

    @Test("of two broken rules the earlier one is named", arguments: Violation.all)
    func order(earlier: Violation) throws {
        for later in Violation.all where later.step > earlier.step {
            // Both spoil the path: the first has no token to go on with.
            if earlier.reason == .badPath, later.step >= 13 { continue }
            let fixture = try RequestFixture()
            try later.spoil(fixture)
            try earlier.spoil(fixture)
            let refusal = fixture.refusal()
            #expect(refusal == earlier.reason, "with \(later.name)")
        }
    }

    @Test(
        "each push type's topic has its suffix; without it the token is none for the topic",
        arguments: PushTypeRules.all
    )
    func suffixes(kind: PushTypeRules) throws {
        let suffix = String(decoding: kind.suffix, as: UTF8.self)
        let fixture = try RequestFixture(apps: [RequestFixture.app + suffix])
        fixture.set(.pushType, kind.pushType.rawValue)
        if kind.isBackground { fixture.set(.priority, "5") }
        #expect(fixture.refusal() == nil)

        fixture.set(.topic, RequestFixture.app)
        let bare = fixture.refusal()
        #expect(bare == (suffix.isEmpty ? nil : .deviceTokenNotForTopic))
    }

    @Test("a token of another topic is refused")
    func otherTopic() throws {
        let fixture = try RequestFixture()
        fixture.set(.topic, "com.example.other")
        #expect(fixture.refusal() == .deviceTokenNotForTopic)
    }

    @Test("an app token does not take VoIP pushes")
    func voipToAppToken() throws {
        let fixture = try RequestFixture()
        fixture.set(.pushType, "voip")
        fixture.set(.topic, RequestFixture.app + ".voip")
        #expect(fixture.refusal() == .deviceTokenNotForTopic)
    }

    @Test("a token of the other environment is a bad one")
    func otherEnvironment() throws {
        let fixture = try RequestFixture(environment: .production)
        #expect(fixture.refusal() == .badDeviceToken)
        fixture.environment = .production
        #expect(fixture.refusal() == nil)
    }

    @Test("a token is gone from the moment its app is removed, in milliseconds")
    func unregistered() throws {
        let fixture = try RequestFixture()
        #expect(fixture.uninstall(RequestFixture.app, after: 1.5))
        let verdict = fixture.judge()
        #expect(verdict == .rejected(Rejection(.unregistered, inactiveSince: 1_760_000_001_500)))
    }

    @Test("a background push must not have priority 10, named or assumed", arguments: ["10", nil])
    func backgroundPriority(priority: String?) throws {
        let fixture = try RequestFixture()
        fixture.set(.pushType, "background")
        fixture.set(.priority, priority)
        #expect(fixture.refusal() == .badPriority)
        fixture.set(.priority, "5")
        #expect(fixture.refusal() == nil)
    }

    @Test(
        "a payload may be as large as its push type allows, and not a byte larger",
        arguments: [("alert", "", 4096), ("voip", ".voip", 5120)]
    )
    func payloadSize(pushType: String, suffix: String, limit: Int) throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + suffix])
        fixture.set(.pushType, pushType)
        func payload(_ size: Int) -> [UInt8] {
            Array(#"{"x":""#.utf8) + [UInt8](repeating: 0x78, count: size - 8) + Array(#""}"#.utf8)
        }
        fixture.body = payload(limit)
        #expect(fixture.refusal() == nil)
        fixture.body = payload(limit + 1)
        #expect(fixture.refusal() == .payloadTooLarge)
    }

    @Test("tokens of unusual length are found", arguments: [1, 31, 80, 100])
    func unusualTokens(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var table = RegistrationTable(seed: 1)
        let registration = TokenRegistration(
            device: DeviceIndex(rawValue: 0),
            topic: TopicIndex(rawValue: 0),
            environment: .sandbox
        )
        let index = table.add(registration, token: TokenKey(bytes: bytes))
        let hex = Array(Hex.text(bytes).utf8)
        let key = try #require(hex.withUnsafeBufferPointer { TokenKey(hex: $0, acceptsUpperCase: false) })
        #expect(table.index(of: key) == index)
    }
}

extension PushTypeRules: CustomTestStringConvertible {
    public var testDescription: String { self.pushType.rawValue }
}
