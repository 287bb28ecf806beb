// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Control API: back to the beginning", .timeLimit(.minutes(20)))
struct ResetTests {
    @Test("reset forgets devices, keys, faults and figures; the demo key and open connections go on")
    func reset() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Provider.app])
            let provider = try await Provider(simulator)
            #expect(try await provider.push(to: device).status == "200")
            _ = try simulator.makeKey(keyID: "ABCDEFGHIJ")
            _ = try await control.send("POST", "/v1/faults", #"{"action":"silence"}"#)

            #expect(try await control.send("POST", "/v1/reset").status == 204)

            #expect(try await control.send("GET", "/v1/devices").objects("devices").isEmpty)
            #expect(try await control.send("GET", "/v1/faults").objects("faults").isEmpty)
            #expect(try await control.send("GET", "/v1/info").object("counters")["requests"] as? Int == 0)
            let keys = try await control.send("GET", "/v1/keys").objects("keys").compactMap { $0["keyID"] as? String }
            #expect(keys == [simulator.demoKey.keyID])
            #expect(try await provider.push(to: device).reason == "BadDeviceToken")
            let next = try simulator.bootDevice(apps: [Provider.app])
            #expect(try await provider.push(to: next).status == "200")
            #expect(simulator.device(next.id)?.notifications.count == 1)
            await provider.client.close()
        }
    }

    @Test("reset puts the clock back, and provider tokens of the real time are good again, on old connections as well")
    func clock() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let client = try await ProviderTestClient(simulator)
            func push(at now: Date) async throws -> TestResponse {
                let token = try #require(try simulator.bootDevice(apps: [Provider.app]).token(Provider.app)).hex
                let jwt = try ProviderTokenFactory(simulator.demoKey).token(issuedAt: now)
                let fields: [(StaticString, String)] = [
                    ("authorization", "bearer \(jwt)"), ("apns-topic", Provider.app),
                ]
                return try await client.send(
                    PushRequest.fields(path: "/3/device/\(token)", others: fields),
                    body: PushRequest.body
                )
            }
            #expect(try await push(at: Date()).status == "200")
            let moved = try await control.send("POST", "/v1/clock:advance", #"{"seconds":43200}"#)
            let seconds = try #require(moved.json["seconds"] as? Double)
            #expect(try await push(at: Date().addingTimeInterval(-1)).reason == "ExpiredProviderToken")
            #expect(try await push(at: Date(timeIntervalSince1970: seconds)).status == "200")

            #expect(try await control.send("POST", "/v1/reset").status == 204)

            #expect(simulator.now.timeIntervalSince1970 < seconds - 3600)
            #expect(try await push(at: Date().addingTimeInterval(-2)).status == "200")
            await client.close()
        }
    }

    @Test("reset leaves nothing to a request that looked at the clock before it")
    func staleTime() throws {
        let time = TestSimulatorClock()
        let simulator = try APNsSimulator(configuration: APNsSimulatorConfiguration(clock: time.clock))
        simulator.advance(by: .seconds(43_200))
        let before = simulator.now
        simulator.reset()
        let seen = simulator.core.withWorld(at: before.timeIntervalSince1970) { $0.now }
        #expect(seen == time.now.timeIntervalSince1970)
        #expect(simulator.now == time.now)
    }

    @Test("reset with a body that asks for something is refused")
    func body() async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator).send("POST", "/v1/reset", #"{"devices":false}"#)
            #expect(answer.status == 400)
            #expect(answer.string("code") == "unknown-field")
        }
    }
}
