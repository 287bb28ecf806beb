// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Testing

@testable import apus

@Suite("apus screen", .timeLimit(.minutes(5)))
struct ScreenCommandTests {
    private static let app = ServerInTest.app

    @Test("screens the devices of an app and says what it has found out")
    func whole() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            let device = try simulator.bootDevice(apps: [Self.app])
            let gone = try simulator.bootDevice(apps: [Self.app])
            for (name, token) in [("good", device.token(Self.app)), ("gone", gone.token(Self.app))] {
                let put = try await server.apus("devices", "put", Self.app, name, "--token", try #require(token).hex)
                #expect(put.status == 0, "\(put.errors)")
            }
            try simulator.uninstall(Self.app, from: gone.id)
            let run = try await server.apus("screen", Self.app, "--spread", "0", "--watch")
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.lines.first?.hasSuffix(": scheduled.") == true)
            #expect(run.lines.last == "finished: 2 of 2 checked, 1 alive, 1 unregistered")
            #expect(simulator.device(device.id)?.shown.isEmpty == true)
            let list = try await server.apus("screen", "list", Self.app, "--json")
            #expect(try list.lastLine(as: TokenValidationResponse.self).report.dead == 1)
        }
    }

    @Test("pauses, resumes and cancels a screening")
    func steered() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let start = try await server.apus("screen", "start", Self.app, "--json")
            let screening: TokenValidationResponse = try start.lastLine()
            for (verb, state) in [("pause", "paused"), ("resume", "scheduled"), ("cancel", "cancelled")] {
                let run = try await server.apus("screen", verb, Self.app, screening.id, "--json")
                #expect(run.status == 0, "\(run.errors)")
                #expect(try run.lastLine(as: TokenValidationResponse.self).state == state)
            }
            #expect(try await server.apus("screen", "watch", Self.app, screening.id).status == 1)
            let again = try await server.apus("screen", "resume", Self.app, screening.id, "--json")
            #expect(again.failure?.code == "screening_ended")
        }
    }
}
