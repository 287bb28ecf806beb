// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Metrics
import PushAPI
import PushModel
import PushStore
import SQLStore
import SQLiteStore
import ServiceLifecycle
import StoreTesting
import Testing

/// What a test may change about the API that it gets.
struct TestSetup: Sendable {
    var store = TestStoreBackend.sqlite

    /// Whether requests go through a socket; otherwise they are handed to the router.
    var hasSocket = false
    var configuration = PushAPIConfiguration()
    var time = TestTime()
    var clock: any Clock<Duration> = ContinuousClock()
    var masterKey: MasterKey? = .generate()
    var inspector: any CredentialValidator = TestInspector()
    var channels: (any ChannelManager)?
    var tester: (any WebhookTester)?
    var delivery: (any DeliveryStatusProvider)?
    var attestor: (any InstallationAttestor)?
    let announcements = UncommittedOutcomes()
    var metrics: any MetricsFactory = NOOPMetricsHandler.instance
    var metricsText: (@Sendable () -> String)?

    /// The most bytes that the store's file may have; there is no limit unless it is set.
    var maximumStoreBytes: Int64?

    /// Puts something between the API and the store, once both key and app are in it.
    var wrap: @Sendable (any PushStore & SQLBacked) -> any PushStore = { $0 }

    fileprivate func withStore(_ body: (any PushStore & SQLBacked) async throws -> Void) async throws {
        switch self.store {
        case .sqlite: try await withTemporaryStore(maximumBytes: self.maximumStoreBytes) { try await body($0) }
        case .postgres: try await self.store.withStore(in: FileManager.default.temporaryDirectory, body)
        }
    }
}

/// Runs a test against the API over a fresh SQLite store in a temporary directory.
func withAPI(
    _ setup: TestSetup = TestSetup(),
    _ test: @Sendable @escaping (TestAPI) async throws -> Void
) async throws {
    try await setup.withStore { store in
        let admin = try await TestAPI.addKey(to: store, scopes: [.admin])
        try await store.createApp(App(id: TestAPI.app, defaultEnvironment: .sandbox, createdAt: TestTime.start))
        try await withAPI(setup, over: setup.wrap(store), admin: admin, test)
    }
}

/// Runs a test against the API over a store that has a key of the administrator.
func withAPI(
    _ setup: TestSetup,
    over store: any PushStore,
    admin: APIKeySecret,
    _ test: @Sendable @escaping (TestAPI) async throws -> Void
) async throws {
    let logs = LogRecorder()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    var configuration = setup.configuration
    configuration.port = 0
    let api = PushAPI(
        store: store,
        inspector: setup.inspector,
        masterKey: setup.masterKey,
        channels: setup.channels,
        webhookTester: setup.tester,
        configuration: configuration,
        delivery: setup.delivery,
        announcements: setup.announcements,
        metrics: setup.metrics,
        metricsText: setup.metricsText,
        logger: logs.logger,
        clock: setup.clock,
        now: { setup.time.now },
        attestor: setup.attestor,
        onListening: { listening.yield($0) }
    )
    let run: @Sendable (any TestClient) async throws -> Void = { client in
        try await test(TestAPI(client: client, store: store, admin: admin, logs: logs))
    }
    if setup.hasSocket {
        try await withServer(api, ports, logs.logger, run)
    } else {
        try await api.application().test(.router) { try await run(RouterClient(base: $0)) }
    }
}

/// Serves the API on a socket for as long as a test runs.
private func withServer(
    _ api: PushAPI,
    _ ports: AsyncStream<Int>,
    _ logger: Logger,
    _ test: @Sendable @escaping (any TestClient) async throws -> Void
) async throws {
    let server = ServiceGroup(services: [api], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        let port = try #require(await ports.first { _ in true })
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .patient)
        do {
            try await test(SocketClient(server: port, base: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
        await server.triggerGracefulShutdown()
        try await group.waitForAll()
    }
}

/// Runs a test with a fresh SQLite store in a directory that is removed afterwards.
func withTemporaryStore(
    maximumBytes: Int64? = nil,
    _ test: (SQLiteStore) async throws -> Void
) async throws {
    try await withTemporaryStore(maximumBytes: maximumBytes) { store, _ in try await test(store) }
}

/// Runs a test with a fresh SQLite store and the path of its file, in a directory that is removed afterwards.
func withTemporaryStore(
    maximumBytes: Int64? = nil,
    _ test: (SQLiteStore, String) async throws -> Void
) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "apus-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "apus.sqlite").path()
    // No test cuts the power.
    var configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
    configuration.maximumBytes = maximumBytes
    try await withSQLiteStore(configuration: configuration, logger: Logger(label: "test")) { try await test($0, path) }
}
