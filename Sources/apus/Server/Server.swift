// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Delivery
import Foundation
import Logging
import NIOPosix
import PushAPI
import PushModel
import PushStore
import SQLiteStore
import Scheduling
import ServiceLifecycle
import Telemetry
import Webhooks

/// The server's process: the store, the API over it, and the delivery from it unless that runs elsewhere.
struct Server {
    let configuration: ServerConfiguration
    let logger: Logger

    /// Runs until a signal comes, or standard input ends where that counts.
    ///
    /// - Parameters:
    ///   - untilInputEnds: whether the end of standard input stops it.
    ///   - onReady: called once requests are answered.
    /// - Throws: ``CommandFailure`` that says how to fix it.
    func run(untilInputEnds: Bool, onReady: @escaping @Sendable (ServerReady) -> Void) async throws {
        // Read first: what cannot be sent to needs no store.
        let delivery = try self.configuration.deliveryConfiguration()
        try await LocalStore.open(self.configuration.data, logger: self.logger) { store in
            do {
                try await self.serve(store, delivery, untilInputEnds: untilInputEnds, onReady: onReady)
            } catch let error as PushAPIError {
                throw CommandFailure(error.code.rawValue, error.message, cause: error)
            }
        }
    }

    private func serve(
        _ store: SQLiteStore,
        _ delivery: DeliveryConfiguration,
        untilInputEnds: Bool,
        onReady: @escaping @Sendable (ServerReady) -> Void
    ) async throws {
        let masterKey = try await MasterKeyFile.masterKey(self.configuration, store: store, logger: self.logger)
        let hasKeys = try await !store.keys(after: nil, limit: 1).elements.isEmpty
        let configuration = self.configuration
        var listening = PushAPIConfiguration()
        listening.host = configuration.host
        listening.port = configuration.port
        listening.maximumWait = .seconds(configuration.waitSeconds)
        listening.eventRetention = .seconds(configuration.eventDays * 24 * 3600)
        listening.maximumEvents = configuration.eventMaximum
        listening.allowsInsecureWebhooks = configuration.allowsInsecureWebhooks
        let sender = WebhookSender(masterKey: masterKey, configuration: configuration.webhookConfiguration())
        listening.metricsArePublic = configuration.metricsArePublic
        let metrics = ServerMetrics.registry()
        let client = APNsClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: self.logger,
            metrics: APNsMetrics(metrics)
        )
        let bulkExecutor = BulkExecutor()
        let deliveryService = DeliveryService(
            store: store,
            client: client,
            masterKey: masterKey,
            configuration: delivery,
            bulkExecutor: bulkExecutor,
            metrics: metrics,
            logger: self.logger
        )
        let api = PushAPI(
            store: store,
            inspector: CredentialCheck(),
            masterKey: masterKey,
            webhookTester: configuration.postsToWebhooks ? TestPost(sender: sender) : nil,
            configuration: listening,
            delivery: configuration.delivers ? ServiceInspector(delivery: deliveryService) : nil,
            metrics: metrics,
            metricsText: { metrics.text() },
            logger: self.logger,
            onListening: { port in
                onReady(ServerReady(host: configuration.host, port: port, data: configuration.data, hasKeys: hasKeys))
            }
        )
        // Stopped in the opposite order: the API takes no more before what it took is sent.
        let senders: [any Service] = configuration.delivers ? [client, deliveryService] : []
        var scheduling = SchedulingConfiguration()
        scheduling.leaseDuration = .seconds(configuration.plannerLeaseSeconds)
        let planners =
            configuration.schedules
            ? [CampaignPlanner(store: store, configuration: scheduling, executor: bulkExecutor, logger: self.logger)]
            : []
        let webhooks =
            configuration.postsToWebhooks ? [WebhookService(store: store, sender: sender, logger: self.logger)] : []
        let watch = QueueWatch(of: store, metrics: metrics, logger: self.logger)
        let services: [any Service] = [watch] + senders + planners + webhooks + [api]
        try await ProcessGroup.run(services, untilInputEnds: untilInputEnds, logger: self.logger)
    }
}
