// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import APNsSimulator

@Suite("Answers that are held back", .timeLimit(.minutes(20)))
struct HeldAnswerTests {
    private static let app = "com.example.app"

    /// A connection that has room for many requests, and some devices.
    private struct Stage {
        let client: ProviderTestClient
        let tokens: [String]
        /// One for all requests: APNs takes no changes back and forth.
        private let providerToken: String

        init(_ simulator: APNsSimulator, devices count: Int = 1) async throws {
            self.tokens = try simulator.bootDevices(count, apps: [HeldAnswerTests.app]).map(\.hex)
            self.providerToken = try ProviderTokenFactory(simulator.demoKey).token(issuedAt: Date())
            self.client = try await ProviderTestClient(simulator)
            // A connection has a single stream until a push was accepted.
            _ = try await self.push(0).get()
        }

        func push(_ device: Int) -> EventLoopFuture<TestResponse> { self.push(to: self.tokens[device]) }

        func push(to token: String) -> EventLoopFuture<TestResponse> {
            let others: [(StaticString, String)] = [
                ("authorization", "bearer \(self.providerToken)"), ("apns-topic", HeldAnswerTests.app),
            ]
            let fields = PushRequest.fields(path: "/3/device/\(token)", others: others)
            return self.client.start(fields, body: PushRequest.body)
        }
    }

    /// In which order answers came.
    private final class Order: Sendable {
        private let state = Mutex<[Int]>([])

        var numbers: [Int] { self.state.withLock { $0 } }

        func note(_ future: EventLoopFuture<TestResponse>, as number: Int) {
            future.whenSuccess { _ in self.state.withLock { $0.append(number) } }
        }
    }

    @Test(
        "an answer comes when the fault is taken away and not before; the notification has arrived, others are answered"
    )
    func released() async throws {
        try await withTestSimulator { simulator in
            let stage = try await Stage(simulator, devices: 2)
            let hold = simulator.inject(SimulatorFault(.hold, match: .init(token: stage.tokens[0])))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let order = Order()
            let held = stage.push(0)
            order.note(held, as: 0)
            #expect(await arrivals.next() != nil)
            let other = try await stage.push(1).get()
            #expect(other.status == "200")
            #expect(order.numbers.isEmpty)
            #expect(simulator.removeFault(hold))
            let response = try await held.get()
            #expect(response.status == "200")
            #expect(simulator.statistics.delivered == 3)
            await stage.client.close()
        }
    }

    @Test("what the rules refuse is held back as well")
    func refusal() async throws {
        try await withTestSimulator { simulator in
            let stage = try await Stage(simulator)
            let hold = simulator.inject(SimulatorFault(.hold))
            let (held, order) = (stage.push(to: String(repeating: "ab", count: 32)), Order())
            order.note(held, as: 0)
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let behind = stage.push(0)
            order.note(behind, as: 1)
            // It came later on the same connection: by now both are held back.
            #expect(await arrivals.next() != nil)
            #expect(order.numbers.isEmpty)
            simulator.removeFault(hold)
            let response = try await held.get()
            #expect(response.reason == "BadDeviceToken")
            _ = try await behind.get()
            #expect(order.numbers == [0, 1])
            await stage.client.close()
        }
    }

    @Test("a fault lets go what it has struck alone; all together go in the order of their streams")
    func order() async throws {
        try await withTestSimulator { simulator in
            let stage = try await Stage(simulator, devices: 2)
            let first = simulator.inject(SimulatorFault(.hold, match: .init(token: stage.tokens[1])))
            simulator.inject(SimulatorFault(.hold, skip: 1))
            simulator.inject(SimulatorFault(.hold))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let order = Order()
            // The second is struck by the first fault, the first by the third, the others by the second.
            var answers: [EventLoopFuture<TestResponse>] = []
            for (number, device) in [0, 1, 0, 0].enumerated() {
                let answer = stage.push(device)
                order.note(answer, as: number)
                answers.append(answer)
                #expect(await arrivals.next() != nil)
            }
            #expect(simulator.faults.map(\.struck) == [1, 2, 1])
            simulator.removeFault(first)
            _ = try await answers[1].get()
            #expect(order.numbers == [1])
            simulator.clearFaults()
            for answer in answers { _ = try await answer.get() }
            #expect(order.numbers == [1, 0, 2, 3])
            await stage.client.close()
        }
    }

    @Test("a fault that is spent strikes no more, and holds on to what it has struck")
    func spent() async throws {
        try await withTestSimulator { simulator in
            let stage = try await Stage(simulator)
            let hold = simulator.inject(SimulatorFault(.hold, count: 1))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let (held, order) = (stage.push(0), Order())
            order.note(held, as: 0)
            #expect(await arrivals.next() != nil)
            for _ in 0..<3 {
                let response = try await stage.push(0).get()
                #expect(response.status == "200")
            }
            #expect(order.numbers.isEmpty)
            #expect(simulator.faults.map(\.id) == [hold])
            #expect(simulator.removeFault(hold))
            #expect(try await held.get().status == "200")
            #expect(!simulator.removeFault(hold))
            await stage.client.close()
        }
    }

    @Test("a connection that is cut takes its answers along, and nothing of them is left")
    func cut() async throws {
        try await withTestSimulator { simulator in
            let stage = try await Stage(simulator)
            let id = simulator.inject(SimulatorFault(.hold, count: 1))
            weak let hold = simulator.faults.first?.hold
            #expect(hold != nil)
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let held = stage.push(0)
            #expect(await arrivals.next() != nil)
            simulator.endConnections(reason: nil)
            await #expect(throws: TestFailure.closed) { try await held.get() }
            #expect(simulator.removeFault(id))
            // The connection goes on its event loop, in its own time; should it stay, so does this.
            try await waitUntil { hold == nil }
            let other = try await Stage(simulator)
            #expect(try await other.push(0).get().status == "200")
            await other.client.close()
        }
    }

    @Test("answers on connections of several event loops go all together")
    func manyConnections() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        try await withSilentSimulator(eventLoopGroup: group) { simulator in
            var stages: [Stage] = []
            for _ in 0..<7 { stages.append(try await Stage(simulator)) }
            let hold = simulator.inject(SimulatorFault(.hold))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let order = Order()
            let answers = stages.enumerated().map { number, stage in
                let answer = stage.push(0)
                order.note(answer, as: number)
                return answer
            }
            for _ in stages { #expect(await arrivals.next() != nil) }
            #expect(order.numbers.isEmpty)
            simulator.removeFault(hold)
            for answer in answers { #expect(try await answer.get().status == "200") }
            for stage in stages { await stage.client.close() }
        }
        try await group.shutdownGracefully()
    }

    @Test("a reset lets everything go, and what is held back afterwards stays although its fault has the same number")
    func reset() async throws {
        try await withTestSimulator { simulator in
            let stage = try await Stage(simulator)
            let hold = simulator.inject(SimulatorFault(.hold))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let held = stage.push(0)
            #expect(await arrivals.next() != nil)
            simulator.reset()
            #expect(simulator.inject(SimulatorFault(.hold, match: .init(token: stage.tokens[0]))) == hold)
            #expect(try await held.get().status == "200")
            let (again, order) = (stage.push(0), Order())
            order.note(again, as: 0)
            // Later on the same connection, and not struck.
            let other = try await stage.client.send(PushRequest.fields(path: "/3/device/00"))
            #expect(other.reason == "MissingProviderToken")
            #expect(order.numbers.isEmpty)
            simulator.clearFaults()
            #expect(try await again.get().reason == "BadDeviceToken")
            await stage.client.close()
        }
    }

    @Test("a simulator that stops gives no answer that is held back, and does not wait for it")
    func stop() async throws {
        let held = try await withTestSimulator { simulator in
            let stage = try await Stage(simulator)
            simulator.inject(SimulatorFault(.hold))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let held = stage.push(0)
            #expect(await arrivals.next() != nil)
            return held
        }
        await #expect(throws: TestFailure.closed) { try await held.get() }
    }
}
