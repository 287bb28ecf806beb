// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Removed apps")
struct RemovedAppTests {
    private static let app = RequestFixture.app

    /// A device from which the app was removed without APNs's knowledge and on which it was installed anew.
    private static func reinstalled() throws -> (fixture: RequestFixture, oldPath: String) {
        let fixture = try RequestFixture()
        fixture.world.switches.storage.uninstallNotice = .afterPush
        let oldPath = try #require(fixture.fields.first { $0.0 == .path }?.1)
        let isKnown = fixture.world.reinstall(Self.app, on: fixture.device, traits: nil, now: fixture.now)
        #expect(isKnown)
        let token = try #require(fixture.snapshot.token(Self.app)).hex
        fixture.set(.path, "/3/device/\(token)")
        #expect(oldPath != "/3/device/\(token)")
        return (fixture, oldPath)
    }

    @Test("the app that was installed anew is the one that is changed, held for and answered for")
    func installedAnew() throws {
        let (fixture, _) = try Self.reinstalled()
        fixture.push(#"{"aps":{"alert":"a"}}"#, id: 1)
        #expect(fixture.snapshot.shown.count == 1)
        for id in 2...6 { fixture.pushBackground(id: UInt64(id)) }
        #expect(fixture.snapshot.app(Self.app)?.isHolding == true)
        fixture.advance(by: 3600)
        #expect(fixture.snapshot.app(Self.app)?.isHolding == false)
        let identifier = try #require(fixture.snapshot.shown.first?.identifier)
        let switches = fixture.world.switches.devices
        let responded = fixture.world.change(fixture.device, now: fixture.now) { state, effects in
            state.respond(
                to: identifier,
                of: nil,
                action: nil,
                text: nil,
                switches: switches,
                now: fixture.now,
                &effects
            )
        }
        #expect(responded == true)
        #expect(fixture.snapshot.app(Self.app)?.traits.state == .foreground)
    }

    @Test("its Live Activities start, and their tokens are its own")
    func activities() throws {
        let (fixture, _) = try Self.reinstalled()
        fixture.changeApp {
            $0.state = .foreground
            $0.supportsFrequentUpdates = true
        }
        #expect(fixture.world.activityHost(fixture.device, Self.app).isForeground)
        let key = fixture.world.issuePushToStartToken(
            attributesType: "Ride",
            bundleID: Self.app,
            device: fixture.device,
            now: fixture.now
        )
        let index = try #require(fixture.world.registration(of: key))
        let apps = try #require(fixture.world.devices.state(fixture.device)?.apps)
        #expect(apps.filter { $0.registrations.contains(index) }.map(\.isRemoved) == [false])
    }

    @Test("what goes to the old token takes nothing of what waits for the new one")
    func slots() throws {
        let (fixture, oldPath) = try Self.reinstalled()
        let path = fixture.fields.first { $0.0 == .path }?.1
        _ = fixture.setOnline(false)
        fixture.push(#"{"aps":{"badge":1}}"#, id: 1)
        fixture.push(#"{"aps":{"badge":2}}"#, id: 2, [(.path, oldPath)])
        _ = fixture.setOnline(true)
        #expect(fixture.arrived == [#"{"aps":{"badge":1}}"#])
        #expect(fixture.discarded == [.appRemoved])
        fixture.push(#"{"n":3}"#, id: 3, [(.path, path)])
        #expect(fixture.arrived.count == 2)
    }

    @Test("an app that is removed, and not installed, has no Live Activities")
    func notInstalled() throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.switches.storage.uninstallNotice = .afterPush
        let simulator = try APNsSimulator(configuration: configuration)
        let device = try simulator.bootDevice(apps: [Self.app])
        _ = try simulator.uninstall(Self.app, from: device.id)
        let error = #expect(throws: APNsSimulatorError.self) {
            try simulator.activityState(of: Self.app, on: device.id)
        }
        #expect(error?.code == .unknownApp)
    }

    @Test("an app that is installed anew knows nothing of what was set for its Live Activities")
    func settings() throws {
        let simulator = try APNsSimulator()
        let device = try simulator.bootDevice(apps: [Self.app])
        try simulator.configureActivities(for: Self.app, on: device.id) { $0.areActivitiesEnabled = false }
        try simulator.issuePushToStartToken("Ride", for: Self.app, on: device.id)
        try simulator.reinstall(Self.app, on: device.id)
        let state = try simulator.activityState(of: Self.app, on: device.id)
        #expect(state.settings.areActivitiesEnabled)
        #expect(state.pushToStartTokens.isEmpty)
    }

    @Test("however many pushes find out that it is gone, its token ends once")
    func oneEnd() throws {
        let fixture = try RequestFixture()
        fixture.world.events.wantsEvents = true
        fixture.world.switches.storage.uninstallNotice = .afterPush
        #expect(fixture.uninstall(Self.app))
        let planned = fixture.world.timeline.count
        for id in 1...50 { fixture.push(#"{"n":1}"#, id: UInt64(id)) }
        #expect(fixture.world.timeline.count == planned + 1)
        fixture.advance(by: 2 * 86_400)
        #expect(fixture.refusal() == .unregistered)
        fixture.world.endToken(fixture.world.devices[fixture.device].origin, now: fixture.now)
        #expect(fixture.world.events.take().events.count { $0.kind == .tokenEnded } == 1)
    }
}
