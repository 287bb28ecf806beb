// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Control API: back to the beginning", .timeLimit(.minutes(1)))
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

    @Test("reset with a body that asks for something is refused")
    func body() async throws {
        try await withTestSimulator { simulator in
            let answer = try await ControlClient(simulator).send("POST", "/v1/reset", #"{"devices":false}"#)
            #expect(answer.status == 400)
            #expect(answer.string("code") == "unknown-field")
        }
    }
}
