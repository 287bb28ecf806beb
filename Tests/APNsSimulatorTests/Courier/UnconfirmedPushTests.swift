// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

extension RequestFixture {
    /// Activates the device, unless it is, connects it to the courier port and enables the app.
    func connect(session: UInt64 = 1) throws {
        if self.world.couriers[self.device] == nil {
            self.world.activate(self.device, certificate: "c", now: self.now)
        }
        let certificate = DeviceCertificate(device: self.world.devices.id(of: self.device), fingerprint: "c")
        _ = try self.world.connectCourier(certificate, session: session, now: self.now)
        self.tell(.filter(topics: [Self.app]), session: session)
    }

    /// Boots another device, connects it, and aims the request at it.
    func bootConnected() throws {
        self.device = self.world.bootDevice(environment: .sandbox, topics: [Self.app])
        let token = self.world.token(of: self.world.devices[self.device].origin)
        self.set(.path, "/3/device/" + Hex.text(token.bytes))
        self.set(.topic, Self.app)
        try self.connect()
    }

    func tell(_ request: CourierRequest, session: UInt64 = 1) {
        self.world.handle(request, from: self.device, session: session, now: self.now)
    }

    /// The payloads that the device is sent, the codes of errors, and why its connections end.
    var told: [String] {
        self.world.events.take().outputs.compactMap { output in
            switch output.reply {
            case .push(_, _, let notification): String(decoding: notification.payload, as: UTF8.self)
            case .closing(let end): end.rawValue
            case .error(let problem): problem.code
            case .welcome, .pong, .token, .filter: nil
            }
        }
    }
}

@Suite("Unconfirmed pushes of a courier connection")
struct UnconfirmedPushTests {
    private static func fixture() throws -> RequestFixture {
        let fixture = try RequestFixture()
        try fixture.connect()
        return fixture
    }

    @Test("one with expiration 0 had its attempt, and is discarded")
    func notStored() throws {
        let fixture = try Self.fixture()
        fixture.push("{}", id: 1, [(.expiration, "0")])
        #expect(fixture.told == ["{}"])
        fixture.world.disconnectCourier(fixture.device, session: 1, now: fixture.now)
        #expect(fixture.discarded == [.notStored])
        #expect(fixture.snapshot.waitingNotifications == 0 && !fixture.snapshot.isOnline)
    }

    @Test("one that has a successor in the store is replaced by it")
    func replaced() throws {
        let fixture = try Self.fixture()
        fixture.push(#"{"aps":{"badge":1}}"#, id: 1)
        fixture.push(#"{"aps":{"badge":2}}"#, id: 2)
        fixture.world.disconnectCourier(fixture.device, session: 1, now: fixture.now)
        #expect(fixture.discarded == [.replaced])
        _ = fixture.told
        try fixture.connect(session: 2)
        #expect(fixture.told == [#"{"aps":{"badge":2}}"#])
        fixture.tell(.confirm(APNsID(high: 1, low: 2)), session: 2)
        #expect(fixture.arrived == [#"{"aps":{"badge":2}}"#])
    }

    @Test("one that expires while the device is away is not sent again")
    func expired() throws {
        let fixture = try Self.fixture()
        fixture.push("{}", id: 1, [(.expiration, "\(Int(fixture.now) + 60)")])
        fixture.world.disconnectCourier(fixture.device, session: 1, now: fixture.now)
        fixture.advance(by: 61)
        _ = fixture.told
        try fixture.connect(session: 2)
        #expect(fixture.told.isEmpty)
        #expect(fixture.discarded == [.expired])
    }

    @Test("one of an app that is removed meanwhile is discarded")
    func removedApp() throws {
        let fixture = try Self.fixture()
        fixture.push("{}", id: 1)
        #expect(fixture.uninstall(RequestFixture.app))
        fixture.world.disconnectCourier(fixture.device, session: 1, now: fixture.now)
        #expect(fixture.discarded == [.appRemoved])
    }

    @Test("a confirmation on an earlier connection, or of another push, confirms nothing")
    func wrongConfirmation() throws {
        let fixture = try Self.fixture()
        fixture.push("{}", id: 1)
        fixture.tell(.confirm(APNsID(high: 1, low: 9)))
        #expect(fixture.told == ["{}", "not-in-flight"])
        try fixture.connect(session: 2)
        fixture.tell(.confirm(APNsID(high: 1, low: 1)), session: 1)
        #expect(fixture.arrived.isEmpty)
        fixture.tell(.confirm(APNsID(high: 1, low: 1)), session: 2)
        #expect(fixture.arrived == ["{}"])
    }

    @Test("a locked device is sent urgent pushes at once and others in groups, as without a courier connection")
    func locked() throws {
        let fixture = try Self.fixture()
        fixture.changeDevice { $0.isLocked = true }
        _ = fixture.told
        fixture.pushBackground(id: 1)
        #expect(fixture.told.isEmpty && fixture.snapshot.waitingNotifications == 1)
        fixture.advance(by: 300)
        #expect(fixture.told.count == 1)
        fixture.tell(.confirm(APNsID(high: 1, low: 1)))
        fixture.push("{}", id: 2, [(.pushType, "alert"), (.priority, "10")])
        #expect(fixture.told == ["{}"])
    }

    @Test("a connection has few entries in the timeline, however many pushes it carries")
    func timeline() throws {
        let fixture = try Self.fixture()
        let before = fixture.world.timeline.count
        for id in 1...200 {
            fixture.push("{}", id: UInt64(id))
            fixture.tell(.confirm(APNsID(high: 1, low: UInt64(id))))
        }
        #expect(fixture.world.timeline.count <= before + 1)
        #expect(fixture.arrived.count == 100)
        fixture.advance(by: 961)
        #expect(fixture.told.last == "keepAliveTimeout")
        #expect(fixture.world.timeline.count <= before + 1)
    }

    @Test("by the option a silent connection is never closed")
    func noKeepAlive() throws {
        let fixture = try RequestFixture()
        fixture.world.switches.courier.keepAliveTimeout = nil
        try fixture.connect()
        _ = fixture.told
        fixture.advance(by: 30 * 86_400)
        #expect(fixture.told.isEmpty && fixture.snapshot.isOnline)
    }
}
