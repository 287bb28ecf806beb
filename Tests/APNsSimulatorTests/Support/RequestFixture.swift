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

    var world = SimulatorState(retainedNotifications: 100, seed: 1)
    var switches = APNsSimulatorOptions()
    var environment = APNsEnvironment.sandbox
    var trust = ConnectionAuthentication()
    var now = RequestFixture.now
    var key = SimulatorProviderKey.make()
    var device: DeviceIndex
    /// Fields in the order in which they are sent.
    var fields: [(RequestField, String)]
    var body: [UInt8] = Array(#"{"aps":{"alert":"hello"}}"#.utf8)

    init(apps: [String] = [RequestFixture.app], environment: APNsEnvironment = .sandbox) throws {
        self.world.events.wantsDeliveries = true
        self.device = self.world.bootDevice(environment: environment, topics: apps)
        self.world.keys.add(try ProviderKey(self.key))
        let token = self.world.token(of: self.world.devices[self.device].origin)
        self.fields = [
            (.method, "POST"), (.path, "/3/device/" + Hex.text(token.bytes)),
            (.authorization, "bearer " + (try Self.token(self.key, issuedAt: Self.now))), (.topic, apps[0]),
        ]
    }

    static func token(_ key: SimulatorProviderKey, issuedAt: Double) throws -> String {
        try ProviderTokenFactory(key).token(issuedAt: Date(timeIntervalSince1970: issuedAt))
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

    /// Lets the connection begin with another key's provider token, and change it some times.
    func bind(to key: SimulatorProviderKey, scope: ProviderKey.Scope = .team, updates: Int = 1) throws {
        var trusted = try ProviderKey(key)
        trusted.scope = scope
        self.world.keys.add(trusted)
        for update in 0..<updates {
            let token = try Self.token(key, issuedAt: self.now - 60 - Double(update))
            guard let verified = self.world.keys.verify(Array(token.utf8), acceptsQuotedIssuedAt: true) else { return }
            self.trust.adopt(
                verified,
                at: self.now,
                countsFirst: false,
                keysRevision: self.world.keys.revision,
                teamsRevision: self.world.teams.revision
            )
        }
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
        let facts = ParsedRequestHeaders(request, switches: self.switches)
        return rules.judge(request, facts, trust: &self.trust, world: &self.world, now: self.now)
    }

    /// The reason of the refusal, or `nil` if the request passes.
    func refusal() -> RejectionReason? {
        if case .rejected(let rejection) = self.judge() { rejection.reason } else { nil }
    }

    /// Takes the request through faults, rules and delivery.
    func handle(apnsID: APNsID = APNsID(high: 1, low: 2)) -> SimulatorState.Handling {
        let request = self.request
        let rules = ProviderRules(environment: self.environment, switches: self.switches)
        let facts = ParsedRequestHeaders(request, switches: self.switches)
        return self.world.handle(
            request,
            facts,
            trust: &self.trust,
            rules: rules,
            apnsID: apnsID,
            now: self.now
        )
    }

    /// Cuts the device off or connects it again.
    ///
    /// Returns what is delivered.
    func setOnline(_ isOnline: Bool, after seconds: Double = 0) -> [Delivery] {
        _ = self.world.events.take()
        self.advance(by: seconds)
        self.world.setOnline(isOnline, device: self.device, now: self.now)
        return self.deliveries
    }

    /// Moves the time on; what is due happens.
    ///
    /// The next request has a provider token of that time, and a connection of its own.
    func advance(by seconds: Double) {
        guard seconds > 0 else { return }
        self.now += seconds
        self.world.advance(to: self.now)
        self.trust = ConnectionAuthentication()
        try? self.authorize(self.key)
    }

    /// What has arrived since this was last asked.
    var deliveries: [Delivery] { self.world.events.take().deliveries }

    /// Removes an app from the device.
    ///
    /// Returns whether it was there.
    func uninstall(_ bundleID: String, after seconds: Double = 0) -> Bool {
        self.advance(by: seconds)
        return self.world.uninstall(bundleID, from: self.device, now: self.now)
    }

    /// What the device holds.
    var snapshot: VirtualDevice { self.world.snapshot(self.device) }

    /// What happens when a person or an app does something.
    func changeApp(_ bundleID: String = RequestFixture.app, _ body: (inout SimulatedAppState) -> Void) {
        let switches = self.world.switches.devices
        self.world.change(self.device, now: self.now) { state, effects in
            guard let place = state.appIndex(bundleID) else { return }
            var traits = state.apps[place].traits
            body(&traits)
            state.change(place, to: traits, switches: switches, now: self.now, &effects)
        }
    }

    /// Changes what the device is like or is doing.
    func changeDevice(_ body: (inout SimulatedDeviceState) -> Void) {
        var traits = self.snapshot.traits
        body(&traits)
        self.world.setTraits(traits, of: self.device, now: self.now)
    }

    /// Pushes this payload.
    func push(_ payload: String, id: UInt64 = 2, _ fields: [(RequestField, String?)] = []) {
        self.body = Array(payload.utf8)
        for (field, value) in fields { self.set(field, value) }
        _ = self.handle(apnsID: APNsID(high: 1, low: id))
    }

    /// Pushes a background notification.
    func pushBackground(id: UInt64 = 2) {
        self.push(#"{"aps":{"content-available":1}}"#, id: id, [(.pushType, "background"), (.priority, "5")])
    }

    /// The payloads that arrived.
    var arrived: [String] { self.snapshot.notifications.map { String(decoding: $0.payload, as: UTF8.self) } }

    /// The causes of what was discarded, in order.
    var discarded: [DiscardReason] {
        self.snapshot.history.filter { $0.kind == .discarded || $0.kind == .expired }
            .compactMap { $0.cause.flatMap { DiscardReason(rawValue: $0) } }
    }
}
