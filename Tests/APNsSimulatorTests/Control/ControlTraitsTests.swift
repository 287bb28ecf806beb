// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Control API: changes of devices and apps", .timeLimit(.minutes(20)))
struct ControlTraitsTests {
    @Test("a request changes what it names and leaves what others have changed meanwhile")
    func named() throws {
        var (first, second) = (
            try JSONRequestBody(Array(#"{"locked":true}"#.utf8)),
            try JSONRequestBody(Array(#"{"lowPower":true,"systemVersion":"18.1"}"#.utf8))
        )
        let changes = [try SimulatedDeviceState.change(&first), try SimulatedDeviceState.change(&second)]
        var device = SimulatedDeviceState()
        for change in changes { change(&device) }
        #expect(device.isLocked && device.isLowPower)
        #expect(device.systemVersion == SystemVersion(major: 18, minor: 1))
        #expect(device.inheritsIsOnline)

        var (third, fourth) = (
            try JSONRequestBody(Array(#"{"state":"foreground"}"#.utf8)),
            try JSONRequestBody(Array(#"{"permission":"denied"}"#.utf8))
        )
        var app = SimulatedAppState()
        for change in [try SimulatedAppState.change(&third), try SimulatedAppState.change(&fourth)] { change(&app) }
        #expect(app.state == .foreground)
        #expect(app.permission == .denied)
    }

    @Test("requests at the same time take nothing back from one another")
    func concurrent() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Provider.app])
            for round in 0..<20 {
                let flag = round.isMultiple(of: 2)
                async let locked = control.send("PATCH", "/v1/devices/\(device.id)", #"{"locked":\#(flag)}"#)
                async let lowPower = control.send("PATCH", "/v1/devices/\(device.id)", #"{"lowPower":\#(flag)}"#)
                #expect(try await [locked.status, lowPower.status] == [200, 200])
                let traits = try #require(simulator.device(device.id)).traits
                #expect([traits.isLocked, traits.isLowPower] == [flag, flag])
            }
        }
    }
}
