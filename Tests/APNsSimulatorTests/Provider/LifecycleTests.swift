// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Logging
import NIOCore
import Testing

@Suite("Start and stop", .timeLimit(.minutes(20)))
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

    @Test(
        "an idle connection whose client does not look at it holds nobody up when the simulator stops; a busy one may"
    )
    func idleAtTheEnd() async throws {
        let left = try await withTestSimulator { simulator in
            let idle = try await ProviderTestClient(simulator)
            let token = try #require(try simulator.bootDevice(apps: [Provider.app]).token(Provider.app)).hex
            let fields = try PushRequest.fields(simulator, token: token)
            #expect(try await idle.send(fields, body: PushRequest.body).status == "200")
            let known = await simulator.connections().map(\.id)
            try await idle.stopReading()
            let busy = try await ProviderTestClient(simulator)
            #expect(try await busy.send(fields, body: PushRequest.body).status == "200")
            simulator.inject(SimulatorFault(.silence, count: 1))
            let unanswered = busy.start(fields, body: PushRequest.body)
            // The answer to a later one says that the one without an answer has come.
            #expect(try await busy.send(fields, body: PushRequest.body).status == "200")
            // Looks while the simulator is stopping; the test waits for it.
            return Task {
                await #expect(throws: (any Error).self) { try await unanswered.get() }
                return (known, await simulator.connections().map(\.id))
            }
        }
        let (known, open) = await left.value
        #expect(known.count == 1)
        #expect(!open.contains(known[0]))
    }

    @Test("what the body throws comes out, and the ports are free again")
    func bodyThrows() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await withTestSimulator { _ in throw Failure() }
        }
    }
}
