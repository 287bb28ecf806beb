// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import HTTP2Session
import NIOCore
import Testing

@Suite("Faults on the provider port", .timeLimit(.minutes(20)))
struct ProviderFaultTests {
    private static let app = "com.example.app"

    private func withClient(
        _ fault: SimulatorFault,
        _ body: (APNsSimulator, ProviderTestClient, [(StaticString, String)]) async throws -> Void
    ) async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            simulator.inject(fault)
            try await body(simulator, client, try PushRequest.fields(simulator, token: token))
            await client.close()
        }
    }

    @Test("a rejection is answered as often as it was told to, then pushes succeed again")
    func reject() async throws {
        let fault = SimulatorFault(.reject(Rejection(status: 503, reason: .serviceUnavailable)), count: 1)
        try await self.withClient(fault) { simulator, client, fields in
            let first = try await client.send(fields, body: PushRequest.body)
            #expect(first.status == "503")
            #expect(first.reason == "ServiceUnavailable")
            let response = try await client.send(fields, body: PushRequest.body)
            #expect(response.status == "200")
            #expect(simulator.statistics.faulted == 1)
            #expect(simulator.statistics.delivered == 1)
        }
    }

    @Test("a delayed answer comes no sooner than it was told to; the notification has arrived before")
    func delay() async throws {
        let fault = SimulatorFault(.delay(.milliseconds(50)), count: 1)
        try await self.withClient(fault) { simulator, client, fields in
            var deliveries = simulator.deliveries().makeAsyncIterator()
            let start = ContinuousClock.now
            let delayed = client.start(fields, body: PushRequest.body)
            #expect(await deliveries.next()?.sequence == 1)
            let response = try await delayed.get()
            #expect(response.status == "200")
            #expect(ContinuousClock.now - start >= .milliseconds(50))
        }
    }

    @Test("GOAWAY names its reason and the last stream that was taken, and ends the connection")
    func goAway() async throws {
        let fault = SimulatorFault(.goAway(reason: .shutdown, code: .noError, lastStreamID: nil), count: 1)
        try await self.withClient(fault) { simulator, client, fields in
            await #expect(throws: (any Error).self) { try await client.send(fields, body: PushRequest.body) }
            let goAway = try await client.receivedGoAway()
            #expect(goAway == TestGoAway(lastStreamID: 0, code: 0, debugData: #"{"reason":"Shutdown"}"#))
            try await client.waitForClose()
            #expect(simulator.statistics.delivered == 0)
        }
    }

    @Test("GOAWAY leaves out no request that was taken, though it came in before an earlier one that is not")
    func goAwayOutOfOrder() async throws {
        let window = SimulatorFault(.settings(SettingsOverride(initialWindowSize: 10)), count: 1)
        try await self.withClient(window) { simulator, client, fields in
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            let other = try #require(try simulator.bootDevice(apps: [Self.app]).token(Self.app)).hex
            let goAway = SimulatorFault.Action.goAway(reason: .shutdown, code: .noError, lastStreamID: nil)
            simulator.inject(SimulatorFault(goAway, match: .init(token: other), count: 1))
            // Of the first body no more goes out than ten bytes, before the simulator has read all of the second one.
            let results = try await client.sendAll([
                (try PushRequest.fields(simulator, token: other), PushRequest.body),
                (fields, Array(#"{"aps":{}}"#.utf8)),
            ])
            #expect(throws: TestFailure.reset(7)) { try results[0].get() }
            #expect(try results[1].get().status == "200")
            #expect(try await client.receivedGoAway().lastStreamID == 5)
            #expect(simulator.statistics.delivered == 2)
        }
    }

    @Test("a stream is reset with the code that was asked for, and the connection goes on")
    func reset() async throws {
        try await self.withClient(SimulatorFault(.reset(.refusedStream), count: 1)) { _, client, fields in
            await #expect(throws: TestFailure.reset(7)) { try await client.send(fields, body: PushRequest.body) }
            let response = try await client.send(fields, body: PushRequest.body)
            #expect(response.status == "200")
        }
    }

    @Test("a dropped connection says nothing; with deliversFirst the notification has arrived")
    func drop() async throws {
        try await self.withClient(SimulatorFault(.drop, count: 1, deliversFirst: true)) { simulator, client, fields in
            await #expect(throws: TestFailure.closed) { try await client.send(fields, body: PushRequest.body) }
            #expect(simulator.statistics.delivered == 1)
        }
    }

    @Test("a request that is met with silence is never answered; the stop of the simulator ends it")
    func silence() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            simulator.inject(SimulatorFault(.silence, match: .init(token: token)))
            let silent = client.start(try PushRequest.fields(simulator, token: token), body: PushRequest.body)
            await client.close()
            await #expect(throws: TestFailure.closed) { try await silent.get() }
        }
    }

    @Test("the body of an error can be another, of any size, in pieces of any size")
    func garbled() async throws {
        let body = ErrorBody(text: "<html>no</html>", size: 50_000, frameSize: 1000)
        let fault = SimulatorFault(.garble(Rejection(status: 502, reason: .badTopic), body), count: 1)
        try await self.withClient(fault) { _, client, fields in
            let response = try await client.send(fields, body: PushRequest.body)
            #expect(response.status == "502")
            #expect(response.body.count == 50_000)
            #expect(String(decoding: response.body.prefix(15), as: UTF8.self) == "<html>no</html>")
            #expect(response.dataFrames >= 50)
        }
    }

    @Test("SETTINGS change in flight: one stream and back, and a window of ten bytes")
    func settings() async throws {
        let fault = SimulatorFault(.settings(SettingsOverride(maximumConcurrentStreams: 1)), skip: 1, count: 1)
        try await self.withClient(fault) { simulator, client, fields in
            var limits = client.streamLimits.makeAsyncIterator()
            #expect(await limits.next() == 1)
            for expected in [1000, 1] as [UInt32] {
                #expect(try await client.send(fields, body: PushRequest.body).status == "200")
                #expect(await limits.next() == expected)
            }
            let change = SettingsOverride(maximumConcurrentStreams: 500, initialWindowSize: 10)
            simulator.inject(SimulatorFault(.settings(change), count: 1))
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            #expect(await limits.next() == 500)
            let many = try await client.sendAll(
                [[(StaticString, String)]](repeating: fields, count: 40),
                body: PushRequest.body
            )
            #expect(many.allSatisfy { (try? $0.get())?.status == "200" })
        }
    }

    @Test("GOAWAY with a chosen last stream answers up to that stream and no further")
    func chosenLastStream() async throws {
        let fault = SimulatorFault(.goAway(reason: .shutdown, code: .noError, lastStreamID: 5), skip: 1, count: 1)
        try await self.withClient(fault) { _, client, fields in
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            let results = try await client.sendAll([fields, fields, fields], body: PushRequest.body)
            let statuses = results.map { (try? $0.get())?.status }
            #expect(statuses == ["200", "200", nil])
            #expect(try await client.receivedGoAway().lastStreamID == 5)
        }
    }

    @Test("a latency is drawn for each answer")
    func latency() async throws {
        let fault = SimulatorFault(.latency(.uniform(10...20)))
        try await self.withClient(fault) { _, client, fields in
            let start = ContinuousClock.now
            for _ in 0..<3 {
                let response = try await client.send(fields, body: PushRequest.body)
                #expect(response.status == "200")
            }
            #expect(ContinuousClock.now - start >= .milliseconds(30))
        }
    }
}
