// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import CZeroMQ
import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import SQLStore
import ServiceLifecycle
import StoreTesting
import Synchronization
import Telemetry
import Testing

@testable import PushAPI

@Suite("The endpoint for clients of apns-proxy-server", .timeLimit(.minutes(10)))
struct ProxyEndpointTests {
    /// A running endpoint, and its store.
    private struct Stage: Sendable {
        let store: any PushStore
        let endpoint: ProxyEndpoint
        let metrics: MetricsRegistry
        let logs: LogRecorder

        func requester() throws -> ProxyPeer { try ProxyPeer(ZMQ_REQ, port: self.endpoint.port) }

        func pusher() throws -> ProxyPeer { try ProxyPeer(ZMQ_PUSH, port: self.endpoint.pullPort) }

        /// The number of messages with a result.
        func messages(_ result: String) -> Int {
            let line = self.metrics.text().split(separator: "\n").first { $0.contains(#"result="\#(result)""#) }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
        }
    }

    private static func with(
        _ change: (inout ProxyConfiguration) -> Void = { _ in },
        wrap: @Sendable (any PushStore & SQLBacked) -> any PushStore = { $0 },
        _ body: @Sendable @escaping (Stage) async throws -> Void
    ) async throws {
        var configuration = ProxyConfiguration(port: 0)
        configuration.applications = ["14": .init(app: TestAPI.app)]
        change(&configuration)
        try await withTemporaryStore { store in
            try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
            let store = wrap(store)
            var registry = MetricsRegistryConfiguration()
            registry.descriptions = [
                MetricDescription("apus_proxy_messages_total", .counter, labels: ["result"], "Messages.")
            ]
            let metrics = MetricsRegistry(configuration: registry)
            let logs = LogRecorder()
            let endpoint = try ProxyEndpoint(
                store: store,
                configuration: configuration,
                metrics: metrics,
                logger: logs.logger,
                now: { TestTime.start }
            )
            let stage = Stage(store: store, endpoint: endpoint, metrics: metrics, logs: logs)
            let group = ServiceGroup(services: [endpoint], logger: logs.logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                do {
                    try await body(stage)
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
    }

    private static func message(
        _ byte: UInt8 = 1,
        application: String = "14",
        aps: String = #"{"alert":"Hello"}"#,
        others: String = ""
    ) -> [UInt8] {
        let json = #"{"appid":"\#(application)","token":"\#(TestToken.hex(byte))","aps":\#(aps)\#(others)}"#
        return [2] + Array(json.utf8)
    }

    /// The `apns-id` in the response to a stored message.
    private static func apnsID(_ response: String) throws -> APNsID {
        let id = response.hasPrefix("OK ") ? APNsID(canonical: String(response.dropFirst(3))) : nil
        return try #require(id, "\(response)")
    }

    @Test("names the port for messages without a response in digits")
    func port() async throws {
        try await Self.with { stage in
            let response = try await stage.requester().request([1])
            #expect(response == "\(stage.endpoint.pullPort)")
        }
    }

    @Test("acknowledges a request when the notification is stored, with its apns-id")
    func request() async throws {
        try await Self.with { stage in
            let response = try await stage.requester().request(Self.message(7, others: #","expiry":0"#))
            let id = try Self.apnsID(response)
            let batch = try #require(try await stage.store.batch(BatchID.locate(id).batch))
            #expect(batch.targets.map(\.token) == [TestToken.token(7)])
            #expect(batch.targets.environments == [.sandbox])
            #expect(batch.payload[0].text == #"{"aps":{"alert":"Hello"}}"#)
            #expect(batch.headers.expiration == APNsExpiration(rawValue: 0))
            #expect(batch.headers.topic.rawValue == TestAPI.app.rawValue)
            #expect(batch.lane == .urgent)
        }
    }

    @Test("stores messages without a response, those that come together in one notification")
    func pushes() async throws {
        try await Self.with {
            // Only a full chunk is stored.
            $0.gatherTime = .seconds(3600)
            $0.maximumPushes = 100
        } _: { stage in
            let changes = stage.store.changes()
            let pusher = try stage.pusher()
            for number in 0..<1000 { await pusher.send(Self.message(UInt8(number % 250))) }
            var stored = 0
            for await change in changes {
                if case .batchReady = change { stored += 1 }
                if stored == 10 { break }
            }
            let events = try await stage.store.events(
                of: TestAPI.app,
                after: nil,
                limit: 1000,
                kinds: [.notificationAccepted]
            )
            #expect(events.events.count == 10)
        }
    }

    @Test("checks a test, and sends it to nobody")
    func test() async throws {
        try await Self.with { stage in
            let requester = try stage.requester()
            #expect(await requester.request(Self.message(others: #","test":true"#)) == "OK")
            let response = await requester.request(Self.message(aps: #"{"badge":"x"}"#, others: #","test":true"#))
            #expect(response.hasPrefix("ERROR invalid: "))
            #expect(stage.messages("test") == 1)
            #expect(try await stage.store.openBatches(of: nil).isEmpty)
        }
    }

    @Test("answers, counts and logs bad frames, and serves the others")
    func badFrames() async throws {
        try await Self.with { stage in
            let requester = try stage.requester()
            for (message, answer) in [
                ([9], "ERROR malformed: "), ([], "ERROR malformed: "), ([2], "ERROR malformed: "),
                (Array("\u{2}{}".utf8), "ERROR invalid: "), (Array("\u{3}".utf8), "ERROR malformed: "),
                (Array("\u{3}{}".utf8), "ERROR invalid: "),
                (Array(#"\#u{3}{"appid":"x"}"#.utf8), "ERROR unknown_app: "),
                (Self.message(application: "15"), "ERROR unknown_app: "),
                (Self.message(aps: #"{"alert":"\#(String(repeating: "x", count: 5000))"}"#), "ERROR invalid: "),
            ] as [([UInt8], String)] {
                let response = await requester.request(message)
                #expect(response.hasPrefix(answer), "\(message): \(response)")
            }
            await requester.send(Self.message(), Self.message())
            #expect(await requester.receive().hasPrefix("ERROR malformed: "))
            // A peer of another kind than clients have: first without the empty frame before the message, then as a client.
            let dealer = try ProxyPeer(ZMQ_DEALER, port: stage.endpoint.port)
            await dealer.send(Self.message())
            await dealer.send([], Self.message())
            #expect(await dealer.receive().isEmpty)
            _ = try Self.apnsID(await dealer.receive())
            let changes = stage.store.changes()
            let pusher = try stage.pusher()
            await pusher.send(Self.message(), [1])
            await pusher.send([1])
            await pusher.send([3])
            await pusher.send(Self.message())
            for await change in changes { if case .batchReady = change { break } }
            // The chunks before that of an answered request are done with.
            _ = try Self.apnsID(await requester.request(Self.message()))
            #expect(stage.messages("stored") == 3)
            // Feedback requests are not counted.
            #expect(stage.messages("malformed") == 3 + 1 + 1 + 3)
            #expect(stage.messages("invalid") == 2)
            #expect(stage.messages("unknown_app") == 1)
            #expect(stage.logs.entries.contains { $0.message.contains("(malformed)") })
        }
    }

    @Test("answers every appid with the app of that ID unless apps are configured")
    func applications() async throws {
        try await Self.with {
            $0.applications = nil
        } _: { stage in
            let requester = try stage.requester()
            _ = try Self.apnsID(await requester.request(Self.message(application: TestAPI.app.rawValue)))
            #expect(await requester.request(Self.message(application: "14")).hasPrefix("ERROR unknown_app: "))
        }
    }

    @Test("sends to the environment of the appid")
    func environment() async throws {
        try await Self.with {
            $0.applications = ["p": .init(app: TestAPI.app, environment: .production)]
        } _: { stage in
            let id = try Self.apnsID(await stage.requester().request(Self.message(application: "p")))
            let batch = try await stage.store.batch(BatchID.locate(id).batch)
            #expect(batch?.targets.environments == [.production])
        }
    }

    @Test(
        "keeps what the store does not take now, and stores it once when it does",
        arguments: ["accept(_:batches:noting:)", "app(_:)"]
    )
    func retry(operation: String) async throws {
        let faults = StoreFaults(3, of: operation)
        try await Self.with(wrap: { ProbedStore($0, failing: faults) }) { stage in
            let response = try await stage.requester().request(Self.message())
            _ = try Self.apnsID(response)
            #expect(faults.left == 0)
            #expect(stage.messages("stored") == 1 && stage.messages("failed") == 0)
        }
    }

    @Test("takes a commit whose confirmation was lost for the commit that it was")
    func lostConfirmation() async throws {
        let failures = Mutex(1)
        let probe = StoreProbe(after: { operation in
            guard operation.hasPrefix("accept"), failures.withLock({ $0 > 0 }) else { return }
            failures.withLock { $0 -= 1 }
            throw StoreError(code: .unavailable, message: "the connection broke")
        })
        try await Self.with(wrap: { ProbedStore($0, probe) }) { stage in
            _ = try Self.apnsID(await stage.requester().request(Self.message()))
            #expect(failures.withLock { $0 } == 0)
            #expect(try await stage.store.openBatches(of: nil).map(\.count) == [1])
        }
    }

    @Test("answers that an app is gone")
    func deletedApp() async throws {
        let error = StoreError(code: .notFound, message: "There is no app 'com.example.app'.")
        let faults = StoreFaults(of: "accept(_:batches:noting:)", with: error)
        try await Self.with(wrap: { ProbedStore($0, failing: faults) }) { stage in
            let response = try await stage.requester().request(Self.message())
            #expect(response.hasPrefix("ERROR failed: notFound"), "\(response)")
            #expect(stage.messages("failed") == 1)
        }
    }

    @Test("answers the tokens that APNs called unregistered, of devices and of tokens that no device has")
    func feedback() async throws {
        try await Self.with { stage in
            let requester = try stage.requester()
            let request = Array("\u{3}".utf8) + Array(#"{"appid":"14"}"#.utf8)
            #expect(await requester.request(request) == "{}")
            // Token 2 is that of a device, which loses the app; 3 is that of a device which registers again.
            for byte in [2, 3] as [UInt8] { try await Self.register(byte, in: stage.store) }
            let delivery = FakeDelivery(store: stage.store)
            for byte in 1...4 as ClosedRange<UInt8> {
                _ = try Self.apnsID(await requester.request(Self.message(byte)))
                let since = TestTime.start.millisecondsSince1970 + Int64(byte) * 1000
                try await delivery.settleNext { _, _ in
                    byte == 4 ? .delivered : .rejected(Rejection(.unregistered, inactiveSince: since))
                }
            }
            try await Self.register(3, in: stage.store)
            let response = await requester.request(request)
            let tokens = try JSONDecoder().decode([String: Double].self, from: Data(response.utf8))
            #expect(tokens == [TestToken.hex(1): 1_770_000_001, TestToken.hex(2): 1_770_000_002])
        }
    }

    private static func register(_ byte: UInt8, in store: any PushStore) async throws {
        let registration = DeviceRegistration(
            app: TestAPI.app,
            installation: try DeviceID(validating: "device-\(byte)"),
            token: TestToken.token(byte),
            environment: .sandbox
        )
        try await store.register(registration, now: TestTime.start)
    }

    @Test("stores what it has received when it is stopped, and answers")
    func shutdown() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let probe = StoreProbe(before: { if $0.hasPrefix("accept") { begin.yield() } })
        let answer = Mutex<Task<String, Never>?>(nil)
        try await Self.with(wrap: { ProbedStore($0, probe) }) { stage in
            let requester = try stage.requester()
            answer.withLock { $0 = Task { await requester.request(Self.message()) } }
            for await _ in begun { break }
        }
        let response = try #require(await answer.withLock { $0 }?.value)
        _ = try Self.apnsID(response)
    }
}
