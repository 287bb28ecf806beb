// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Testing

@testable import apus

@Suite("apus tokens", .timeLimit(.minutes(20)))
struct TokenValidationCommandTests {
    private static let app = ServerInTest.app

    @Test("validates the tokens of an app and reports the results")
    func whole() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            let device = try simulator.bootDevice(apps: [Self.app])
            let gone = try simulator.bootDevice(apps: [Self.app])
            for (name, token) in [("good", device.token(Self.app)), ("gone", gone.token(Self.app))] {
                let put = try await server.apus("devices", "put", Self.app, name, "--token", try #require(token).hex)
                #expect(put.status == 0, "\(put.errors)")
            }
            try simulator.uninstall(Self.app, from: gone.id)
            let run = try await server.apus("tokens", "validate", Self.app, "--duration", "0", "--watch")
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.lines.first?.hasSuffix(": scheduled.") == true)
            #expect(run.lines.last == "completed: 2 of 2 checked, 1 valid, 1 unregistered")
            #expect(simulator.device(device.id)?.shown.isEmpty == true)
            let list = try await server.apus("tokens", "list", Self.app, "--json")
            #expect(try list.lastLine(as: TokenValidationResponse.self).report.unregistered == 1)
        }
    }

    @Test("pauses, resumes and cancels a token validation")
    func steered() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let start = try await server.apus("tokens", "validate", Self.app, "--json")
            let validation: TokenValidationResponse = try start.lastLine()
            for (verb, state) in [("pause", "paused"), ("resume", "scheduled"), ("cancel", "cancelled")] {
                let run = try await server.apus("tokens", verb, Self.app, validation.id, "--json")
                #expect(run.status == 0, "\(run.errors)")
                #expect(try run.lastLine(as: TokenValidationResponse.self).state == state)
            }
            #expect(try await server.apus("tokens", "watch", Self.app, validation.id).status == 1)
            let again = try await server.apus("tokens", "resume", Self.app, validation.id, "--json")
            #expect(again.failure?.code == "token_validation_ended")
        }
    }
}
