// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import CommandLineSupport
import Delivery
import Foundation
import Logging
import PushAPI
import PushModel
import PushStore
import ServiceLifecycle
import Telemetry
import Webhooks

/// The server's process: the store, the API over it, and the delivery from it unless that runs elsewhere.
struct Server {
    let configuration: ServerConfiguration
    let logger: Logger

    /// Runs until a signal arrives, or standard input ends if that is observed.
    ///
    /// It calls `onReady` when the server serves requests.
    ///
    /// - Throws: ``CommandError`` with a fix.
    func run(exitOnStdinClose: Bool, onReady: @escaping @Sendable (ServerReady) -> Void) async throws {
        BuildInfo.logStart(of: "serve", to: self.logger)
        FileDescriptorLimit.raiseLimit()
        self.configuration.protectMemory(self.logger)
        let metrics = ServerMetrics.registry()
        // Read this first: invalid endpoints and certificates should fail before the store is opened.
        let tls = try self.configuration.listenerTLS(metrics: metrics, logger: self.logger)
        let sending = try self.configuration.deliveryConfiguration()
        let channelEndpoints = try self.configuration.channelDestinations()
        let time = try await ProcessClock(self.configuration, logger: self.logger)
        let (data, url) = (self.configuration.data, self.configuration.storeURL)
        self.configuration.warnOfUnverifiedStore(self.logger)
        try await ServerStore.open(
            data: data,
            url: url,
            connections: self.configuration.storeConnections,
            logger: self.logger,
            metrics: metrics
        ) { store, services in
            do {
                try await self.serve(
                    store,
                    time.services + services,
                    sending,
                    channelEndpoints,
                    tls,
                    metrics,
                    now: time.now,
                    exitOnStdinClose: exitOnStdinClose,
                    onReady: onReady
                )
            } catch let error as PushAPIError {
                throw CommandError(error.code.rawValue, error.message, cause: error)
            }
        }
    }

    private func serve(
        _ store: any PushStore,
        _ services: [any Service],
        _ sending: DeliveryConfiguration,
        _ channelEndpoints: [APNsEnvironment: APNsEndpoint],
        _ tls: TLSCertificates?,
        _ metrics: MetricsRegistry,
        now: @escaping @Sendable () -> Date,
        exitOnStdinClose: Bool,
        onReady: @escaping @Sendable (ServerReady) -> Void
    ) async throws {
        let configuration = self.configuration
        let masterKey = try await MasterKeyFile.masterKey(configuration, store: store, logger: self.logger)
        self.logger.info("Loaded the master key", metadata: MasterKeyFile.metadata(of: masterKey))
        try await DataKeyLoader.load(into: store, configuration, masterKey: masterKey, logger: self.logger)
        let hasKeys = try await !store.keys(after: nil, limit: 1).elements.isEmpty
        let parts = ServiceFactory(
            configuration: configuration,
            store: store,
            metrics: metrics,
            logger: self.logger,
            now: now
        )
        let delivery = configuration.delivers ? parts.delivery(sending, masterKey: masterKey) : nil
        var webhookConfiguration = configuration.webhookConfiguration()
        webhookConfiguration.worker = parts.worker
        let sender = WebhookSender(masterKey: masterKey, configuration: webhookConfiguration, now: now)
        let proxy = try configuration.proxy.map { proxy in
            try ProxyEndpoint(
                store: store,
                configuration: proxy,
                metrics: metrics,
                logger: self.logger,
                now: now
            )
        }
        let api = PushAPI(
            store: store,
            inspector: APNsCredentialValidator(),
            masterKey: masterKey,
            channels: parts.channels(at: channelEndpoints, masterKey: masterKey),
            webhookTester: configuration.postsToWebhooks ? WebhookTestSender(sender: sender) : nil,
            configuration: parts.listening(on: configuration.port),
            tls: tls,
            delivery: delivery.map { DeliveryServiceStatusProvider(delivery: $0.service) },
            announcements: parts.announcements,
            metrics: metrics,
            metricsText: { metrics.text() },
            logger: self.logger,
            now: now,
            onListening: { port in
                onReady(
                    ServerReady(
                        url: configuration.listeningURL(port: port),
                        data: configuration.data,
                        store: ServerStore.place(data: configuration.data, url: configuration.storeURL),
                        hasKeys: hasKeys,
                        proxyPort: proxy?.port
                    )
                )
            }
        )
        // Services stop in the opposite order: the API stops accepting before its accepted requests are sent.
        let senders: [any Service] =
            delivery.map { [$0.client, $0.service, parts.topicPosting(masterKey: masterKey)] } ?? []
        let planners: [any Service] =
            configuration.schedules
            ? [parts.planner, parts.rolloutPlanner, parts.activityScheduler, parts.jobScheduler(sender)] : []
        let webhooks: [any Service] =
            configuration.postsToWebhooks
            ? [WebhookService(store: store, sender: sender, now: now, metrics: metrics, logger: self.logger)] : []
        let listeners: [any Service] = [api] + (proxy.map { [$0] } ?? [])
        let all = services + parts.withWatches(senders + planners + webhooks) + listeners
        try await ProcessServices.run(all, exitOnStdinClose: exitOnStdinClose, logger: self.logger)
    }
}
