// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import SQLStore
import ServiceLifecycle
import StoreTesting
import Webhooks

/// A store with an app, and services that post its events while the clock stands still.
struct WebhookStage: Sendable {
    static let app: AppID = "com.example.app"

    let store: any PushStore & SQLBacked
    let masterKey = MasterKey.generate()
    let now = TestDateSource()
    let clock = TestClock()
    var configuration = Self.localConfiguration

    /// The addresses of hosts; those that are missing lead to this machine.
    var hosts: [String: String] = [:]

    private static var localConfiguration: WebhookConfiguration {
        var configuration = WebhookConfiguration()
        configuration.allowsPrivateNetworks = true
        // The clock stands still, so a pause would not end.
        configuration.idlePause = .zero
        return configuration
    }

    /// Makes a stage, hands it to `body` and clears it away.
    static func open(_ body: (inout WebhookStage) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("apus-webhooks-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await TestStoreBackend.sqlite.withStore(in: directory) { store in
            var stage = WebhookStage(store: store)
            try await store.createApp(App(id: Self.app, createdAt: stage.now.date))
            try await body(&stage)
        }
    }

    /// What posts.
    var sender: WebhookSender {
        WebhookSender(
            masterKey: self.masterKey,
            configuration: self.configuration,
            resolver: TableResolver(hosts: self.hosts),
            clock: self.clock,
            now: { [now] in now.date }
        )
    }

    /// Adds a webhook.
    ///
    /// - Returns: the webhook and what verifies its requests.
    @discardableResult
    func addWebhook(
        _ id: WebhookID = "wh_1",
        url: String,
        kinds: Set<EventType>? = nil,
        sealedWith masterKey: MasterKey? = nil
    ) async throws -> (webhook: Webhook, secret: WebhookSecret) {
        let secret = WebhookSecret.generate()
        let webhook = Webhook(
            id: id,
            app: Self.app,
            url: try WebhookURL(validating: url),
            kinds: kinds,
            sealedSecret: (masterKey ?? self.masterKey).seal(secret, for: id),
            createdAt: self.now.date,
            cursor: try await self.store.latestEvent(of: Self.app)
        )
        try await self.store.createWebhook(webhook)
        return (webhook, secret)
    }

    /// Adds a webhook of a receiver of this machine.
    @discardableResult
    func addWebhook(
        _ id: WebhookID = "wh_1",
        of receiver: HookReceiver,
        kinds: Set<EventType>? = nil
    ) async throws -> (webhook: Webhook, secret: WebhookSecret) {
        try await self.addWebhook(id, url: "http://hooks.example.com:\(receiver.port)/\(id)", kinds: kinds)
    }

    /// Appends events that tell their numbers.
    func append(_ numbers: some Sequence<Int>, kind: EventType = .sushiServed) async throws {
        let events = numbers.map { number in
            NewEvent(
                app: Self.app,
                time: self.now.date,
                kind: kind,
                data: ["number": .integer(Int64(number))]
            )
        }
        try await self.store.append(events)
    }

    /// Runs services for as long as `body` takes, and shuts them down gracefully.
    func post(
        workers: [WorkerID] = ["webhooks-1"],
        _ body: () async throws -> Void
    ) async throws {
        let services = workers.map { worker in
            var stage = self
            stage.configuration.worker = worker
            return WebhookService(
                store: self.store,
                sender: stage.sender,
                clock: self.clock,
                now: { [now] in now.date },
                logger: .silent
            )
        }
        try await withServices(services, body)
    }

    /// Waits until something holds of a webhook.
    @discardableResult
    func webhook(_ id: WebhookID = "wh_1", where condition: (Webhook) -> Bool) async throws -> Webhook {
        let changes = self.store.changes()
        if let webhook = try await self.store.webhook(id), condition(webhook) { return webhook }
        for await _ in changes {
            if let webhook = try await self.store.webhook(id), condition(webhook) { return webhook }
        }
        throw CancellationError()
    }

    /// Moves the time of day on, and lets the service poll by it.
    func poll(after duration: Duration) async throws {
        try await self.clock.timer(dueIn: self.configuration.pollInterval)
        self.now.advance(by: duration)
        self.clock.advance(by: self.configuration.pollInterval)
    }
}

/// Knows the addresses of hosts from a table.
private struct TableResolver: HostResolver {
    let hosts: [String: String]

    func addresses(of host: String) async throws -> [NetworkAddress] {
        [self.hosts[host] ?? "127.0.0.1"].compactMap { NetworkAddress($0) }
    }
}

extension EventType {
    static let sushiServed = EventType(rawValue: "sushi.served")
    static let sushiEaten = EventType(rawValue: "sushi.eaten")
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
