// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Testing

@testable import APNsSimulator

/// Runs a simulator with a courier port.
func withCourier(
    _ change: (inout APNsSimulatorConfiguration) -> Void = { _ in },
    _ body: (APNsSimulator) async throws -> Void
) async throws {
    var configuration = APNsSimulatorConfiguration()
    configuration.courierPort = 0
    change(&configuration)
    try await withSilentSimulator(configuration, body)
}

@Suite("Courier connections", .timeLimit(.minutes(20)))
struct CourierTests {
    private static let app = Provider.app

    private static func body(_ number: Int) -> [UInt8] { Array(#"{"aps":{"badge":\#(number)}}"#.utf8) }

    private static func connection(_ simulator: APNsSimulator, _ id: VirtualDeviceID) throws -> String? {
        try simulator.activation(of: id).connection?.rawValue
    }

    @Test("an activated device gets a token, enables its topic, and receives a push that counts once it is confirmed")
    func push() async throws {
        try await withCourier { simulator in
            let device = try simulator.bootDevice(apps: [])
            let client = try await CourierTestClient(simulator, simulator.activateDevice(device.id))
            let welcome = try await client.next()
            #expect(welcome.type == "welcome")
            #expect(welcome.string("device") == device.id.rawValue)
            #expect(welcome.string("environment") == "sandbox")
            #expect(welcome.number("keepAliveInterval") == 900)
            #expect(welcome.number("keepAliveTimeout") == 60)
            #expect(try Self.connection(simulator, device.id) == "courier")

            let token = try await client.token(Self.app)
            let phone = try #require(simulator.device(device.id))
            #expect(token != nil && token == phone.token(Self.app)?.hex)
            #expect(phone.calls.map(\.name) == [.didRegister])
            // The same topic has the same token, and the device may present it.
            #expect(
                try await client.call(#"{"type":"token","topic":"\#(Self.app)","token":"\#(token ?? "")"}"#)
                    .string("token") == token
            )
            #expect(try await client.enable([Self.app]).strings("topics") == [Self.app])

            let provider = try await Provider(simulator)
            #expect(try await provider.push(to: phone).status == "200")
            let push = try await client.next()
            #expect(push.type == "push")
            #expect(push.string("topic") == Self.app && push.string("token") == token)
            let text = String(decoding: push.json, as: UTF8.self)
            #expect(text.contains(String(decoding: PushRequest.body, as: UTF8.self)))
            #expect(simulator.statistics.delivered == 0)
            #expect(simulator.device(device.id)?.notifications.isEmpty == true)
            try await client.confirm(push)
            #expect(simulator.statistics.delivered == 1)
            let arrived = try #require(simulator.device(device.id))
            #expect(arrived.notifications.map(\.payload) == [PushRequest.body])
            #expect(arrived.notifications.first?.apnsID.description == push.string("apnsID"))
            #expect(arrived.shown.map(\.body) == ["hello"])
            // A second confirmation confirms nothing.
            let again = try await client.call(#"{"type":"confirm","apnsID":"\#(push.string("apnsID") ?? "")"}"#)
            #expect(again.string("code") == "not-in-flight")
            await client.close()
            await provider.client.close()
        }
    }

    @Test("a device is sent one push at a time; of those that come meanwhile the newest is sent next")
    func oneInFlight() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let client = try await CourierTestClient(
                simulator,
                simulator.activateDevice(phone.id),
                enabling: Self.app
            )
            let provider = try await Provider(simulator)
            for number in 1...4 { try await provider.push(to: phone, body: Self.body(number)) }
            let first = try await client.next()
            let others = try await client.confirm(first)
            #expect(others.count == 1)
            try await client.confirm(try #require(others.first))
            #expect(simulator.device(phone.id)?.notifications.map(\.payload) == [Self.body(1), Self.body(4)])
            #expect(simulator.statistics.discarded == [.replaced: 2])
            await client.close()
            await provider.client.close()
        }
    }

    @Test(
        "a push for a topic that the filter does not enable is stored until it does, or discarded",
        arguments: UndeliveredPushPolicy.allCases
    )
    func filter(policy: UndeliveredPushPolicy) async throws {
        let other = "com.example.other"
        try await withCourier({ $0.switches.courier.disabledTopic = policy }) { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app, other])
            let client = try await CourierTestClient(
                simulator,
                simulator.activateDevice(phone.id),
                enabling: other
            )
            #expect(try simulator.activation(of: phone.id).topics == [other])
            let provider = try await Provider(simulator)
            try await provider.push(to: phone, body: Self.body(1))
            try await provider.push(to: phone, app: other, body: Self.body(2))
            let push = try await client.next()
            #expect(push.string("topic") == other)
            #expect(try await client.confirm(push).isEmpty)
            #expect(try await client.enable([Self.app, other]).type == "filter")
            if policy == .store {
                let stored = try await client.next()
                #expect(stored.string("topic") == Self.app)
                try await client.confirm(stored)
            }
            #expect(simulator.statistics.discarded == (policy == .store ? [:] : [.topicDisabled: 1]))
            #expect(simulator.device(phone.id)?.waitingNotifications == 0)
            await client.close()
            await provider.client.close()
        }
    }

    @Test("no pushes are sent before the device has set its filter, on each connection")
    func noFilter() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let client = try await CourierTestClient(simulator, simulator.activateDevice(phone.id))
            #expect(try await client.next().type == "welcome")
            let provider = try await Provider(simulator)
            try await provider.push(to: phone)
            #expect(try await client.call(#"{"type":"ping"}"#).type == "pong")
            #expect(simulator.device(phone.id)?.waitingNotifications == 1)
            #expect(try await client.enable([Self.app]).type == "filter")
            #expect(try await client.next().type == "push")
            await client.close()
            await provider.client.close()
        }
    }

    @Test("a token of another device is refused, and so is one that nobody has")
    func foreignToken() async throws {
        try await withCourier { simulator in
            let (mine, other) = (try simulator.bootDevice(apps: []), try simulator.bootDevice(apps: [Self.app]))
            let client = try await CourierTestClient(simulator, simulator.activateDevice(mine.id), enabling: Self.app)
            let foreign = try #require(other.token(Self.app)).hex
            for token in [foreign, String(repeating: "ab", count: 32)] {
                let answer = try await client.call(#"{"type":"token","topic":"\#(Self.app)","token":"\#(token)"}"#)
                #expect(answer.type == "error" && answer.string("code") == "foreign-token")
            }
            // Nothing was issued, and the connection goes on.
            #expect(simulator.device(mine.id)?.tokens.isEmpty == true)
            let own = try await client.token(Self.app)
            #expect(own != nil && own != foreign)
            // A push to the other device does not come here.
            let provider = try await Provider(simulator)
            try await provider.push(to: other)
            #expect(try await client.call(#"{"type":"ping"}"#).type == "pong")
            #expect(simulator.device(other.id)?.notifications.count == 1)
            await client.close()
            await provider.client.close()
        }
    }

    // MARK: Ends of connections

    @Test("a second connection of the same identity closes the first, which loses nothing")
    func duplicate() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let certificate = try simulator.activateDevice(phone.id)
            let first = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            let provider = try await Provider(simulator)
            try await provider.push(to: phone)
            let push = try await first.next()
            let second = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            #expect(try await first.end() == "replaced")
            let again = try await second.next()
            #expect(again.string("apnsID") == push.string("apnsID"))
            try await second.confirm(again)
            #expect(simulator.device(phone.id)?.notifications.count == 1)
            #expect(try Self.connection(simulator, phone.id) == "courier")
            await second.close()
            await provider.client.close()
        }
    }

    @Test("by the option a second connection is refused, and the first stays")
    func refusedDuplicate() async throws {
        try await withCourier({ $0.switches.courier.duplicateConnection = .refuseSecond }) { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let certificate = try simulator.activateDevice(phone.id)
            let first = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            let second = try await CourierTestClient(simulator, certificate)
            #expect(try await second.end() == "duplicate")
            #expect(try await first.call(#"{"type":"ping"}"#).type == "pong")
            await first.close()
        }
    }

    @Test("a silent device is disconnected after interval and time-out of simulated time, one that pings is not")
    func keepAlive() async throws {
        let time = TestSimulatorClock(Date())
        try await withCourier({ $0.clock = time.clock }) { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let client = try await CourierTestClient(simulator, simulator.activateDevice(phone.id), enabling: Self.app)
            for _ in 0..<3 {
                simulator.advance(by: .seconds(959))
                #expect(try await client.call(#"{"type":"ping"}"#).type == "pong")
            }
            simulator.advance(by: .seconds(959.9))
            #expect(try Self.connection(simulator, phone.id) == "courier")
            simulator.advance(by: .seconds(0.2))
            #expect(try Self.connection(simulator, phone.id) == nil)
            #expect(simulator.device(phone.id)?.isOnline == false)
            #expect(try await client.end() == "keepAliveTimeout")
        }
    }

    @Test("a push that is not confirmed in time ends the connection, and is sent again on the next one")
    func confirmationTimeout() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let certificate = try simulator.activateDevice(phone.id)
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            let provider = try await Provider(simulator)
            try await provider.push(to: phone)
            let push = try await client.next()
            simulator.advance(by: .seconds(31))
            #expect(try await client.end() == "confirmationTimeout")
            #expect(simulator.device(phone.id)?.waitingNotifications == 1)
            let next = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            #expect(try await next.next().string("apnsID") == push.string("apnsID"))
            await next.close()
            await provider.client.close()
        }
    }

    @Test("a device that reconnects receives what was stored meanwhile: the newest of each app")
    func reconnection() async throws {
        let other = "com.example.other"
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app, other])
            let certificate = try simulator.activateDevice(phone.id)
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            await client.close()
            try await waitUntil { simulator.device(phone.id)?.isOnline == false }
            let provider = try await Provider(simulator)
            for number in 1...3 { try await provider.push(to: phone, body: Self.body(number)) }
            try await provider.push(to: phone, app: other, body: Self.body(4))
            #expect(simulator.statistics.delivered == 0)
            let next = try await CourierTestClient(simulator, certificate, enabling: Self.app, other)
            let first = try await next.next()
            let others = try await next.confirm(first)
            try await next.confirm(try #require(others.first))
            #expect(simulator.device(phone.id)?.notifications.map(\.payload) == [Self.body(3), Self.body(4)])
            await next.close()
            await provider.client.close()
        }
    }

    @Test(
        "a push to a device that is killed before it confirms is not lost, unless the option says so",
        arguments: UndeliveredPushPolicy.allCases
    )
    func killed(policy: UndeliveredPushPolicy) async throws {
        try await withCourier({ $0.switches.courier.unconfirmedPush = policy }) { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let certificate = try simulator.activateDevice(phone.id)
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            let provider = try await Provider(simulator)
            try await provider.push(to: phone)
            let push = try await client.next()
            try await client.kill()
            try await waitUntil { simulator.device(phone.id)?.isOnline == false }
            let next = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            if policy == .store {
                let again = try await next.next()
                #expect(again.string("apnsID") == push.string("apnsID"))
                try await next.confirm(again)
            }
            #expect(try await next.call(#"{"type":"ping"}"#).type == "pong")
            #expect(simulator.statistics.delivered == (policy == .store ? 1 : 0))
            #expect(simulator.statistics.discarded == (policy == .store ? [:] : [.notStored: 1]))
            await next.close()
            await provider.client.close()
        }
    }

    @Test("a reset, a restored snapshot and the end of the simulator end the connections; the snapshot has the push")
    func replacedWorld() async throws {
        var last: CourierTestClient?
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let certificate = try simulator.activateDevice(phone.id)
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            let provider = try await Provider(simulator)
            try await provider.push(to: phone)
            let push = try await client.next()
            let snapshot = try simulator.snapshot()
            simulator.reset()
            #expect(try await client.end() == "reset")
            let stranger = try await CourierTestClient(simulator, certificate)
            #expect(try await stranger.end() == "unknownDevice")

            try simulator.restore(snapshot)
            #expect(simulator.device(phone.id)?.isOnline == false)
            let next = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            let again = try await next.next()
            #expect(again.string("apnsID") == push.string("apnsID"))
            try await next.confirm(again)
            last = next
            await provider.client.close()
        }
        #expect(try await last?.end() == "shutdown")
    }
}
