// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Testing

@testable import APNsSimulator

/// One way to break one rule, in the order in which rules are applied.
struct Violation: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: RejectionReason
    /// Which step of the order it belongs to. Violations of one step exclude one another.
    let step: Int
    let spoil: @Sendable (RequestFixture) throws -> Void

    var testDescription: String { self.name }

    init(
        _ name: String,
        _ reason: RejectionReason,
        step: Int,
        _ spoil: @escaping @Sendable (RequestFixture) throws -> Void
    ) {
        self.name = name
        self.reason = reason
        self.step = step
        self.spoil = spoil
    }

    static let all: [Violation] = [
        Violation("another path", .badPath, step: 1) { $0.set(.path, "/2/device/00") },
        Violation("an upper-case letter in the path", .badPath, step: 1) { $0.set(.path, "/3/Device/00") },
        Violation("no path", .badPath, step: 1) { $0.set(.path, nil) },
        Violation("GET", .methodNotAllowed, step: 2) { $0.set(.method, "GET") },
        Violation("a repeated header", .duplicateHeaders, step: 3) {
            $0.set(.topic, "com.example.app")
            $0.add(.topic, "com.example.app")
        },
        Violation("a repeated authorization", .duplicateHeaders, step: 3) {
            $0.set(.authorization, "bearer x")
            $0.add(.authorization, "bearer x")
        },
        Violation("no provider token", .missingProviderToken, step: 4) { $0.set(.authorization, nil) },
        Violation("another scheme", .invalidProviderToken, step: 4) { $0.set(.authorization, "basic abc") },
        Violation("no JWT", .invalidProviderToken, step: 4) { $0.set(.authorization, "bearer abc") },
        Violation("an old provider token", .expiredProviderToken, step: 4) { fixture in
            try fixture.authorize(fixture.key, issuedAt: fixture.now - 3601)
        },
        Violation("a provider token by a key of the other environment", .badEnvironmentKeyInToken, step: 4) { fixture in
            let made = SimulatorProviderKey.make()
            var key = try ProviderKey(made)
            key.environments = [.production]
            fixture.world.keys.add(key)
            try fixture.authorize(made)
        },
        Violation("a provider token of another team", .invalidProviderToken, step: 4) { fixture in
            try fixture.bind(to: SimulatorProviderKey.make())
        },
        Violation("a provider token of an unrelated key", .unrelatedKeyIDInToken, step: 4) { fixture in
            let bound = SimulatorProviderKey.make(teamID: fixture.key.teamID)
            try fixture.bind(to: bound, scope: .topics([Array(RequestFixture.app.utf8)]))
        },
        Violation("a third provider token within 20 minutes", .tooManyProviderTokenUpdates, step: 4) { fixture in
            try fixture.bind(to: fixture.key, updates: 2)
        },
        Violation("apns-id without dashes", .badMessageID, step: 5) {
            $0.set(.apnsID, "0123456789abcdef0123456789abcdef")
        },
        Violation("apns-id of 31 digits", .badMessageID, step: 5) {
            $0.set(.apnsID, "123e4567-e89b-12d3-a456-42665544000")
        },
        Violation("apns-id with a letter that is no digit", .badMessageID, step: 5) {
            $0.set(.apnsID, "0123456g-89ab-cdef-0123-456789abcdef")
        },
        Violation("a negative expiration", .badExpirationDate, step: 6) { $0.set(.expiration, "-1") },
        Violation("an expiration that is no integer", .badExpirationDate, step: 6) { $0.set(.expiration, "1.5") },
        Violation("an empty expiration", .badExpirationDate, step: 6) { $0.set(.expiration, "") },
        Violation("priority 7", .badPriority, step: 7) { $0.set(.priority, "7") },
        Violation("priority that is no number", .badPriority, step: 7) { $0.set(.priority, "high") },
        Violation("a collapse id of 65 bytes", .badCollapseID, step: 8) {
            $0.set(.collapseID, String(repeating: "x", count: 65))
        },
        Violation("an unknown push type", .invalidPushType, step: 9) { $0.set(.pushType, "telegram") },
        Violation("no topic", .missingTopic, step: 11) { $0.set(.topic, nil) },
        Violation("an empty topic", .badTopic, step: 11) { $0.set(.topic, "") },
        Violation("a topic with a space", .badTopic, step: 11) { $0.set(.topic, "com.example app") },
        Violation("a topic of 256 characters", .badTopic, step: 11) {
            $0.set(.topic, String(repeating: "x", count: 256))
        },
        Violation("a topic without the suffix of its push type", .badTopic, step: 11) { fixture in
            fixture.switches.missingTopicSuffix = .badTopic
            fixture.set(.pushType, "voip")
            fixture.set(.topic, "com.example.app")
        },
        Violation("an app of another team", .topicDisallowed, step: 11) { fixture in
            fixture.set(.pushType, nil)
            fixture.set(.topic, "com.example.app")
            fixture.world.teams.setBundleIDs(["com.example.other"], of: fixture.key.teamID)
        },
        Violation("no body", .payloadEmpty, step: 12) { $0.body = [] },
        Violation("a body of 4097 bytes", .payloadTooLarge, step: 12) {
            $0.body = Array(#"{"x":""#.utf8) + [UInt8](repeating: 0x78, count: 4089) + Array(#""}"#.utf8)
        },
        Violation("a body that is no JSON", .payloadEmpty, step: 12) { $0.body = Array("hello".utf8) },
        Violation("no device token", .missingDeviceToken, step: 13) { $0.set(.path, "/3/device/") },
        Violation("a token that is no hexadecimal", .badDeviceToken, step: 13) { $0.set(.path, "/3/device/zz") },
        Violation("a token with an odd count of digits", .badDeviceToken, step: 13) {
            $0.set(.path, "/3/device/abc")
        },
        Violation("a token of 101 bytes", .badDeviceToken, step: 13) {
            $0.set(.path, "/3/device/" + String(repeating: "ab", count: 101))
        },
        Violation("a token that nobody has", .badDeviceToken, step: 13) {
            $0.set(.path, "/3/device/" + String(repeating: "ab", count: 32))
        },
        Violation("a token whose app is gone", .unregistered, step: 13) { fixture in
            fixture.world.endToken(fixture.world.devices[fixture.device].origin, now: fixture.now)
        },
        Violation("one push too many to a token", .tooManyRequests, step: 14) { fixture in
            fixture.switches.connections.deviceRate = 0.001
            fixture.switches.connections.deviceBurst = 1
            let index = fixture.world.devices[fixture.device].origin
            _ = fixture.world.rates.admit(index, perSecond: 0.001, burst: 1, now: fixture.now)
        },
    ]
}
