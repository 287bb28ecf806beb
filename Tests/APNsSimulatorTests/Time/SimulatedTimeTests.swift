// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Simulated time", .timeLimit(.minutes(20)))
struct SimulatedTimeTests {
    private static let app = "com.example.app"

    /// Boots a device whose app has been woken and does not say that it is done.
    private func wake(_ simulator: APNsSimulator) async throws -> VirtualDeviceID {
        let device = try simulator.bootDevice(apps: [Self.app])
        try simulator.changeApp(Self.app, on: device.id) { $0.completion = .manual }
        let client = try await ProviderTestClient(simulator)
        let fields = try PushRequest.fields(
            simulator,
            token: try #require(device.token(Self.app)).hex,
            others: [("apns-push-type", "background"), ("apns-priority", "5")]
        )
        let answer = try await client.send(fields, body: Array(#"{"aps":{"content-available":1}}"#.utf8))
        #expect(answer.status == "200")
        await client.close()
        return device.id
    }

    @Test("when the time has been moved, all that was due has happened")
    func advance() async throws {
        try await withTestSimulator(clock: TestSimulatorClock(Date()).clock) { simulator in
            let id = try await self.wake(simulator)
            let call = try #require(simulator.device(id)?.calls.last)
            #expect(call.name == .didReceiveRemoteNotification)
            #expect(simulator.nextDue == call.deadline)
            simulator.advance(by: .seconds(29))
            #expect(simulator.device(id)?.calls.last?.missedDeadline == false)
            simulator.advance(by: .seconds(1))
            #expect(simulator.device(id)?.calls.last?.missedDeadline == true)
            #expect(simulator.nextDue == nil)
        }
    }

    @Test("what is due happens although nobody calls, and soon where the time runs fast")
    func byItself() async throws {
        try await withTestSimulator { simulator in
            var events = simulator.events().makeAsyncIterator()
            let id = try await self.wake(simulator)
            simulator.setTimeScale(1_000_000)
            while let event = await events.next() {
                if event.kind == .deadlineMissed { break }
            }
            #expect(simulator.device(id)?.calls.last?.missedDeadline == true)
        }
    }
}
