// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import Logging
import NIOPosix
import PushAPI
import PushModel
import PushStore
import Scheduling
import ServiceLifecycle
import Testing

@testable import apus

/// A whole server over a store, and phones at a simulator by whose clock everything goes: a test moves it on.
///
/// The API listens on a socket, and delivery and scheduling run beside it as they do in a server's process.
struct ActivityStage: Sendable {
    static let type = "LessonAttributes"

    let simulator: APNsSimulator
    let store: any PushStore

    /// Calls the API as the backend of the app does.
    let backend: APIClient

    /// Calls it as the app does on a phone: with a key that can tell tokens and nothing else.
    let client: APIClient

    /// Makes a stage over a store of the given kind, hands it to `body` and clears it away.
    static func open(
        on kind: StoreInTest = .sqlite,
        switches: APNsSimulatorSwitches = APNsSimulatorSwitches(),
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
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        var listens = PushAPIConfiguration()
        listens.port = 0
        let api = PushAPI(
            store: store,
            inspector: CredentialCheck(),
            masterKey: masterKey,
            configuration: listens,
            logger: silent,
            now: now,
            onListening: { listening.yield($0) }
        )
        let apns = APNsClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: silent)
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
        let services = ServiceGroup(services: [apns, delivery, scheduler, api], logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let result: Result<Void, any Error>
            do {
                let port = try #require(await ports.first { _ in true })
                result = .success(try await body(try await self.make(simulator, store, port: port)))
            } catch {
                result = .failure(error)
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            try result.get()
        }
    }

    /// The stage of a server that listens: it has the app, and keys for the backend and the phones.
    private static func make(
        _ simulator: APNsSimulator,
        _ store: any PushStore,
        port: Int
    ) async throws -> ActivityStage {
        let keys = LocalKeyBook(store: store)
        let url = "http://127.0.0.1:\(port)"
        func client(_ scopes: [Scope]) async throws -> APIClient {
            let answer = try await keys.create(KeyDraft(name: "test", scopes: scopes))
            return APIClient(url: url, key: try #require(answer.key))
        }
        let stage = ActivityStage(
            simulator: simulator,
            store: store,
            backend: try await client([.admin]),
            client: try await client([.client])
        )
        let app = ["id": ServerInTest.app, "defaultEnvironment": "sandbox"]
        _ = try await stage.backend.call(.post, "/v1/apps", sending: app)
        let key = simulator.demoKey
        let credential = ["kind": "key", "keyID": key.keyID, "teamID": key.teamID, "p8": key.p8]
        _ = try await stage.backend.call(.post, "/v1/apps/\(ServerInTest.app)/credentials", sending: credential)
        return stage
    }
}
