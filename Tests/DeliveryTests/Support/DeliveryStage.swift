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
import PushModel
import PushStore
import ServiceLifecycle
import StoreTesting
import Telemetry

/// A store in a temporary directory, with an app, and clocks that only the test moves.
///
/// The time of day begins with the real one, since the simulator checks how old a provider token is.
struct DeliveryStage: Sendable {
    static let app: AppID = "com.example.app"

    let store: any PushStore
    let observed: ObservedStore
    let directory: URL
    let masterKey = MasterKey.generate()
    let now = TestDateSource(Date())
    let clock = TestClock()
    let log = LogEvents()
    /// Sending may take long on a machine that is busy; a test in which a deadline passes names its own.
    var configuration = Self.patientConfiguration

    /// What the delivery says outcomes by, ahead of the store.
    let announcements = UncommittedOutcomes()

    /// What the client and the delivery count.
    let metrics = MetricsRegistry()

    /// Where client and delivery log; the delivery's goes to ``log`` unless it is set.
    var logger: Logger?

    /// How often the client sends again by itself.
    var maximumResends = 3

    private static var patientConfiguration: DeliveryConfiguration {
        var configuration = DeliveryConfiguration()
        configuration.sendDeadline = .seconds(300)
        // Nobody else is to wake within a second than the polls of both lanes; see `poll()`.
        configuration.haltInterval = .seconds(3600)
        // Bulk work would wait for its turns by the clock of the stage, which stands still.
        configuration.bulkRateLimit = nil
        return configuration
    }

    /// Makes a stage, hands it to `body` and clears it away.
    static func open(
        on kind: TestStoreBackend = .sqlite,
        _ body: (inout DeliveryStage) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("apus-delivery-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await kind.withStore(in: directory) { store in
            var stage = DeliveryStage(store: store, observed: ObservedStore(store), directory: directory)
            stage.configuration.credentialDirectory = CredentialDirectory(directory.path)
            try await store.createApp(App(id: Self.app, createdAt: stage.now.date))
            try await body(&stage)
        }
    }

    // MARK: Credentials and endpoints

    /// Lets an environment's pushes go to a simulator, with a credential that it trusts.
    mutating func use(_ simulator: APNsSimulator) async throws {
        self.connect(to: simulator)
        try await self.addKey(simulator.demoKey, environment: simulator.configuration.environment)
    }

    /// Lets an environment's pushes go to a simulator.
    mutating func connect(to simulator: APNsSimulator) {
        self.configuration.endpoints[simulator.configuration.environment] = APNsEndpoint(
            host: "localhost",
            port: simulator.port,
            trust: .certificateAuthority(pem: Array(simulator.caPEM.utf8))
        )
    }

    /// Adds a provider key to the app, sealed.
    func addKey(
        _ key: SimulatorProviderKey,
        environment: APNsEnvironment,
        sealedWith masterKey: MasterKey? = nil
    ) async throws {
        let id = CredentialID(unchecked: "key \(UUID().uuidString)")
        let material = CredentialMaterial(content: Array(key.p8.utf8))
        try await self.addCredential(
            id,
            kind: .key(keyID: key.keyID, teamID: key.teamID),
            environment: environment,
            secret: .sealed((masterKey ?? self.masterKey).seal(material, for: id))
        )
    }

    /// Adds a credential to the app; each is a second younger than the one before.
    func addCredential(
        _ id: CredentialID = CredentialID(unchecked: UUID().uuidString),
        kind: CredentialKind,
        environment: APNsEnvironment,
        secret: CredentialSecret
    ) async throws {
        let count = try await self.store.credentials(of: Self.app).count
        let credential = Credential(
            id: id,
            app: Self.app,
            kind: kind,
            environments: [environment],
            secret: secret,
            createdAt: self.now.date.addingTimeInterval(Double(count))
        )
        try await self.store.addCredential(credential)
    }

    // MARK: The service

    /// Runs client and delivery for as long as `body` takes, and shuts them down gracefully; an error cancels them.
    ///
    /// - Parameters:
    ///   - worker: the name under which batches are leased.
    ///   - body: what happens meanwhile.
    ///   - draining: what happens after the shutdown has begun and before its end is awaited.
    /// - Throws: what any of these throws.
    func deliver(
        worker: WorkerID = .unique(),
        _ body: () async throws -> Void,
        whileDraining draining: () async throws -> Void = {}
    ) async throws {
        var clientConfiguration = APNsClientConfiguration()
        // A machine that is busy may take long to respond.
        clientConfiguration.connectTimeout = .seconds(240)
        clientConfiguration.answerTimeout = .seconds(240)
        clientConfiguration.pingTimeout = .seconds(240)
        clientConfiguration.minimumBackoff = .milliseconds(10)
        clientConfiguration.maximumBackoff = .milliseconds(50)
        clientConfiguration.maximumResends = self.maximumResends
        let client = APNsClient(
            configuration: clientConfiguration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: self.logger ?? .silent
        )
        var configuration = self.configuration
        configuration.worker = worker
        let delivery = DeliveryService(
            store: self.observed,
            client: client,
            masterKey: self.masterKey,
            configuration: configuration,
            clock: self.clock,
            now: { [now] in now.date },
            announcements: self.announcements,
            metrics: self.metrics,
            logger: self.logger ?? self.log.logger
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [client, delivery], logger: .silent)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await body()
            await services.triggerGracefulShutdown()
            try await draining()
            try await group.waitForAll()
        }
    }
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
