// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Delivery
import Foundation
import Logging
import NIOPosix
import PushAPI
import PushModel
import PushStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Testing

@testable import apus

/// A whole server over a store, and phones at a simulator by whose clock everything goes: a test moves it on.
///
/// The API listens on a socket, and delivery and scheduling run beside it as they do in a server's process.
struct ActivityStage: Sendable {
    static let type = "LessonAttributes"

    let simulator: APNsSimulator
    let store: any PushStore

    /// Asks the simulator about channels as the server does.
    let apple: APNsChannelManager

    /// Calls the API as the backend of the app does.
    let backend: APIClient

    /// Calls it as the app does on a phone: with a key that can tell tokens and nothing else.
    let client: APIClient

    /// On a busy machine the simulator may take long to answer.
    private static let connections: APNsClientConfiguration = {
        var configuration = APNsClientConfiguration()
        configuration.connectTimeout = .seconds(300)
        configuration.answerTimeout = .seconds(300)
        configuration.channelTimeout = .seconds(300)
        configuration.pingTimeout = .seconds(300)
        return configuration
    }()

    /// Makes a stage over a store of the given kind, hands it to `body` and clears it away.
    static func open(
        on kind: TestStoreBackend = .sqlite,
        switches: APNsSimulatorOptions = APNsSimulatorOptions(),
        _ body: @escaping @Sendable (ActivityStage) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await kind.withStore(in: URL(fileURLWithPath: directory)) { store in
                try await withTestSimulator(switches: switches) { simulator in
                    try await self.run(store, simulator, body)
                }
            }
        }
    }

    private static func run(
        _ store: any PushStore,
        _ simulator: APNsSimulator,
        _ body: (ActivityStage) async throws -> Void
    ) async throws {
        // One that keeps metadata: the API has the id of a request there.
        var silent = Logger(label: "test.activities") { StreamLogHandler.standardError(label: $0) }
        silent.logLevel = .critical
        let masterKey = MasterKey.generate()
        let now: @Sendable () -> Date = { simulator.now }
        let apple = Self.channels(store, simulator, masterKey)
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        var listens = PushAPIConfiguration()
        listens.port = 0
        let api = PushAPI(
            store: store,
            inspector: APNsCredentialValidator(),
            masterKey: masterKey,
            channels: apple,
            configuration: listens,
            logger: silent,
            now: now,
            onListening: { listening.yield($0) }
        )
        let apns = APNsClient(
            configuration: Self.connections,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: silent
        )
        var sending = DeliveryConfiguration()
        sending.sendDeadline = .seconds(300)
        sending.endpoints[.sandbox] = APNsEndpoint(
            host: "localhost",
            port: simulator.port,
            trust: .certificateAuthority(pem: Array(simulator.caPEM.utf8))
        )
        let delivery = DeliveryService(
            store: store,
            client: apns,
            masterKey: masterKey,
            configuration: sending,
            now: now,
            logger: silent
        )
        // The time that it goes by is moved, so that it looks at it often.
        let scheduler = ActivityScheduler(store: store, pollInterval: .milliseconds(20), now: now, logger: silent)
        var scheduling = SchedulingConfiguration()
        // Several shards of a few hundred phones.
        scheduling.rollouts = RolloutLimits(shardSize: 40, lookahead: 120)
        scheduling.planInterval = .milliseconds(20)
        let rollouts = RolloutScheduler(store: store, configuration: scheduling, now: now, logger: silent)
        let services = ServiceGroup(services: [apns, delivery, scheduler, rollouts, api], logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let result: Result<Void, any Error>
            do {
                let port = try #require(await ports.first { _ in true })
                result = .success(try await body(try await self.make(simulator, store, apple, port: port)))
            } catch {
                result = .failure(error)
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            try result.get()
        }
    }

    /// Somebody else deletes a channel at APNs.
    func deleteElsewhere(_ id: String) async throws {
        try await self.apple.delete(try APNsChannelID(id), for: AppID(unchecked: ServerInTest.app), in: .sandbox)
    }

    /// Takes the provider keys and certificates of the app away.
    func removeCredentials() async throws {
        for credential in try await self.store.credentials(of: AppID(unchecked: ServerInTest.app)) {
            let path = "/v1/apps/\(ServerInTest.app)/credentials/\(credential.id)"
            _ = try await self.backend.call(.delete, path)
        }
    }

    /// Whether the newest push of an activity waits to be sent again.
    func isDeferred(_ name: String) async throws -> Bool {
        let entries = try await self.store.timeline(
            of: .init(unchecked: name),
            app: AppID(unchecked: ServerInTest.app),
            after: nil,
            limit: 1000
        ).elements
        guard let id = entries.last?.sendings.first?.batch else { return false }
        guard case .waiting? = try await self.store.outcomes(of: [id])[id]?.lifecycle.state else { return false }
        return true
    }

    /// What asks the simulator about channels.
    private static func channels(
        _ store: any PushStore,
        _ simulator: APNsSimulator,
        _ masterKey: MasterKey
    ) -> APNsChannelManager {
        let endpoint = APNsEndpoint(
            host: "localhost",
            port: simulator.channelPort,
            trust: .certificateAuthority(pem: Array(simulator.caPEM.utf8))
        )
        return APNsChannelManager(
            client: ChannelClient(
                configuration: Self.connections,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                now: { simulator.now }
            ),
            resolver: DestinationResolver(
                credentials: store,
                masterKey: masterKey,
                endpoints: [.sandbox: endpoint, .production: endpoint],
                lifetime: .zero,
                logger: Logger(label: "test.channels") { _ in SwiftLogNoOpLogHandler() }
            )
        )
    }

    /// The stage of a server that listens: it has the app, and keys for the backend and the phones.
    private static func make(
        _ simulator: APNsSimulator,
        _ store: any PushStore,
        _ apple: APNsChannelManager,
        port: Int
    ) async throws -> ActivityStage {
        let keys = LocalAPIKeyRepository(store: store)
        let url = "http://127.0.0.1:\(port)"
        func client(_ scopes: [Scope]) async throws -> APIClient {
            let answer = try await keys.create(NewAPIKey(name: "test", scopes: scopes))
            return APIClient(url: url, key: try #require(answer.key))
        }
        let stage = ActivityStage(
            simulator: simulator,
            store: store,
            apple: apple,
            backend: try await client([.admin]),
            client: try await client([.client])
        )
        let app = [
            "id": ServerInTest.app, "defaultEnvironment": "sandbox", "installationSecrets": "optional",
            "activityJoins": "any",
        ]
        _ = try await stage.backend.call(.post, "/v1/apps", sending: app)
        let key = simulator.demoKey
        let credential = ["type": "key", "keyID": key.keyID, "teamID": key.teamID, "p8": key.p8]
        _ = try await stage.backend.call(.post, "/v1/apps/\(ServerInTest.app)/credentials", sending: credential)
        return stage
    }
}
