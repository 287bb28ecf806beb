// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Logging
import Testing

@Suite("Start and stop", .timeLimit(.minutes(5)))
struct LifecycleTests {
    @Test("a port that is taken is named, with what to do", arguments: [true, false])
    func portTaken(isProvider: Bool) async throws {
        try await withTestSimulator { running in
            let configuration = APNsSimulatorConfiguration(
                port: isProvider ? running.port : 0,
                controlPort: isProvider ? 0 : running.controlPort
            )
            let error = await #expect(throws: APNsSimulatorError.self) {
                try await withAPNsSimulator(configuration) { _ in }
            }
            #expect(error?.code == .portUnavailable)
            let port = isProvider ? running.port : running.controlPort
            #expect(error?.message.hasPrefix("port \(port) of 127.0.0.1 is in use") == true)
            #expect(error?.message.contains(isProvider ? "--port 0" : "--control-port 0") == true)
        }
    }

    @Test("the ready line names both ports, the key and the CA")
    func readyLine() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-simulator-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let logger = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withAPNsSimulator(APNsSimulatorConfiguration(directory: path), logger: logger) { simulator in
            let endpoints = try await simulator.endpoints()
            #expect(endpoints.port == simulator.port)
            #expect(endpoints.caPath == path + "/ca.pem")
            for part in ["\(simulator.port)", "\(simulator.controlPort)", simulator.demoKey.keyID, "\(path)/ca.pem"] {
                #expect(endpoints.readyLine.contains(part))
            }
            #expect(!endpoints.readyLine.contains("\n"))
        }
    }

    @Test("when the simulator stops, connections hear GOAWAY with Shutdown and the feed ends")
    func stop() async throws {
        let (client, deliveries) = try await withTestSimulator { simulator in
            (try await ProviderTestClient(simulator), simulator.deliveries())
        }
        let goAway = try await client.receivedGoAway()
        #expect(goAway.debugData == #"{"reason":"Shutdown"}"#)
        for await _ in deliveries {}
        try await client.waitForClose()
    }

    @Test("what the body throws comes out, and the ports are free again")
    func bodyThrows() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await withTestSimulator { _ in throw Failure() }
        }
    }
}
