// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation

@testable import APNsSimulator

/// A world with one sandbox device and a request that every rule lets pass, to be spoilt in one place or two.
final class RequestFixture {
    static let now: Double = 1_760_000_000
    static let app = "com.example.app"

    var world = World(retainedNotifications: 100)
    var switches = APNsSimulatorSwitches()
    var environment = APNsEnvironment.sandbox
    var trust = ConnectionTrust()
    var now = RequestFixture.now
    var key = SimulatorProviderKey.make()
    var device: DeviceIndex
    /// Fields in the order in which they are sent.
    var fields: [(RequestField, String)]
    var body: [UInt8] = Array(#"{"aps":{"alert":"hello"}}"#.utf8)

    init(apps: [String] = [RequestFixture.app], environment: APNsEnvironment = .sandbox) throws {
        var generator = SplitMix64(seed: 1)
        self.device = self.world.bootDevice(environment: environment, topics: apps, using: &generator)
        self.world.keys.add(try ProviderKey(self.key))
        let installation = self.world.devices[self.device].installations[0]
        self.fields = [
            (.method, "POST"), (.path, "/3/device/" + HexDigit.string(installation.token.bytes)),
            (.authorization, "bearer " + (try Self.token(self.key, issuedAt: Self.now))), (.topic, apps[0]),
        ]
    }

    static func token(_ key: SimulatorProviderKey, issuedAt: Double) throws -> String {
        try ProviderTokenMint(key).token(issuedAt: Date(timeIntervalSince1970: issuedAt))
    }

    /// Puts a value in the place of a field's, or takes the field out.
    func set(_ field: RequestField, _ value: String?) {
        self.fields.removeAll { $0.0 == field }
        if let value { self.fields.append((field, value)) }
    }

    /// Adds a field, whether there is one or not.
    func add(_ field: RequestField, _ value: String) {
        self.fields.append((field, value))
    }

    /// Puts a provider token of this key, issued now, into the request.
    func authorize(_ key: SimulatorProviderKey, issuedAt: Double? = nil) throws {
        self.set(.authorization, "bearer " + (try Self.token(key, issuedAt: issuedAt ?? self.now)))
    }

    var request: RequestHead {
        let request = RequestHead()
        for (field, value) in self.fields {
            Array(value.utf8).withUnsafeBufferPointer { request.append(field, value: $0) }
        }
        self.body.withUnsafeBytes { if !self.body.isEmpty { request.appendBody($0) } }
        return request
    }

    /// What the rules say.
    func judge() -> Verdict {
        let request = self.request
        let rules = ProviderRules(environment: self.environment, switches: self.switches)
        let facts = RequestFacts(request, switches: self.switches)
        return rules.judge(request, facts, trust: &self.trust, world: &self.world, now: self.now)
    }

    /// The reason of the refusal, or `nil` if the request passes.
    func refusal() -> RejectionReason? {
        if case .rejected(let rejection) = self.judge() { rejection.reason } else { nil }
    }

    /// Takes the request through faults, rules and delivery.
    func handle(apnsID: APNsID = APNsID(high: 1, low: 2)) -> World.Handling {
        let request = self.request
        let rules = ProviderRules(environment: self.environment, switches: self.switches)
        let facts = RequestFacts(request, switches: self.switches)
        return self.world.handle(
            request,
            facts,
            trust: &self.trust,
            rules: rules,
            apnsID: apnsID,
            now: self.now,
            describes: true
        )
    }

    /// Cuts the device off or connects it again. Returns what is delivered.
    func setOnline(_ isOnline: Bool, after seconds: Double = 0) -> [Delivery] {
        self.world.setOnline(isOnline, device: self.device, now: self.now + seconds)
    }

    /// Removes an app from the device. Returns whether it was there.
    func uninstall(_ bundleID: String, after seconds: Double = 0) -> Bool {
        self.world.uninstall(bundleID, from: self.device, now: self.now + seconds)
    }

    /// What the device holds.
    var snapshot: VirtualDevice { self.world.snapshot(self.device) }
}
