// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
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
import Telemetry
import TopicPosting
import Topics
import Webhooks
import Work

/// The components of a process on a store, for `apus serve`, `apus deliver` and `apus schedule`.
struct ServiceFactory {
    /// The client and the service that sends over it, in the order in which they start.
    struct Delivery {
        let client: APNsClient
        let service: DeliveryService
    }

    let configuration: ServerConfiguration
    let store: any PushStore
    let metrics: MetricsRegistry
    let logger: Logger
    let now: @Sendable () -> Date

    /// Where bulk work is done, sending and planning alike.
    let bulkExecutor = BulkExecutor()

    /// Holds the leases of all parts.
    let worker = WorkerID.unique()

    /// Publishes outcomes from delivery to waiting requests of the same process.
    let announcements = UncommittedOutcomes()

    /// The service that sends the batches in the store.
    func delivery(_ sending: DeliveryConfiguration, masterKey: MasterKey) -> Delivery {
        let client = APNsClient(
            configuration: self.configuration.apnsClientConfiguration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            bulkEventLoopGroup: BulkThreads.eventLoopGroup,
            logger: self.logger,
            metrics: APNsMetrics(self.metrics),
            now: self.now
        )
        var sending = sending
        sending.worker = self.worker
        let service = DeliveryService(
            store: self.store,
            client: client,
            masterKey: masterKey,
            configuration: sending,
            now: self.now,
            bulkExecutor: self.bulkExecutor,
            announcements: self.announcements,
            metrics: self.metrics,
            logger: self.logger
        )
        return Delivery(client: client, service: service)
    }

    /// Asks APNs about broadcast channels.
    func channels(at endpoints: [APNsEnvironment: APNsEndpoint], masterKey: MasterKey) -> APNsChannelManager {
        APNsChannelManager(
            client: ChannelClient(
                configuration: self.configuration.apnsClientConfiguration,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                now: self.now
            ),
            resolver: DestinationResolver(
                credentials: self.store,
                masterKey: masterKey,
                credentialDirectory: CredentialDirectory(self.configuration.credentialDirectory),
                endpoints: endpoints,
                // Called rarely, and by operators who have just added a credential.
                lifetime: .zero,
                logger: self.logger
            )
        )
    }

    /// The configuration of the fan-out of campaigns and rollouts.
    private var scheduling: SchedulingConfiguration {
        var scheduling = SchedulingConfiguration(planner: self.worker)
        scheduling.leaseDuration = .seconds(self.configuration.schedulingLeaseDurationSeconds)
        scheduling.maxEnqueuedTargets = self.configuration.maxEnqueuedTargets
        scheduling.rollouts.shardSize = self.configuration.rolloutPageSize
        return scheduling
    }

    /// Turns campaigns that are due into batches.
    var planner: CampaignScheduler {
        CampaignScheduler(
            store: self.store,
            configuration: self.scheduling,
            now: self.now,
            executor: self.bulkExecutor,
            metrics: self.metrics,
            logger: self.logger
        )
    }

    /// Starts Live Activities on the devices of audiences.
    var rolloutPlanner: RolloutScheduler {
        RolloutScheduler(
            store: self.store,
            configuration: self.scheduling,
            now: self.now,
            executor: self.bulkExecutor,
            metrics: self.metrics,
            logger: self.logger
        )
    }

    /// Executes the transitions of Live Activities.
    var activityScheduler: ActivityScheduler {
        ActivityScheduler(store: self.store, now: self.now, metrics: self.metrics, logger: self.logger)
    }

    /// Runs jobs; calls webhooks by a sender.
    func jobScheduler(_ sender: WebhookSender) -> JobScheduler {
        var scheduling = JobSchedulerConfiguration(worker: self.worker)
        scheduling.leaseDuration = .seconds(self.configuration.schedulingLeaseDurationSeconds)
        return JobScheduler(
            store: self.store,
            handler: WebhookJobHandler(caller: JobWebhookCaller(store: self.store, sender: sender)),
            configuration: scheduling,
            now: self.now,
            metrics: self.metrics,
            logger: self.logger
        )
    }

    /// Delivers publications of topics to HTTP subscriptions.
    func topicPosting(masterKey: MasterKey) -> TopicHTTPDeliveryService {
        var sending = self.configuration.webhookConfiguration()
        sending.deadline = TopicHTTPDeliveryConfiguration.deadline
        return TopicHTTPDeliveryService(
            store: self.store,
            sender: WebhookSender(masterKey: nil, configuration: sending, now: self.now),
            signer: MessageSigner(store: self.store, masterKey: masterKey, now: self.now),
            tokens: ConfirmationTokens(masterKey),
            masterKey: masterKey,
            configuration: TopicHTTPDeliveryConfiguration(worker: self.worker),
            now: self.now,
            metrics: self.metrics,
            logger: self.logger
        )
    }

    /// Adds the services that do not claim work, which start after the leases of terminated processes have ended.
    func withWatches(_ workers: [any Service]) -> [any Service] {
        let queueWatch = QueueMonitor(of: self.store, metrics: self.metrics, now: self.now, logger: self.logger)
        // It tries an item only after the interruptions by terminated processes are counted.
        let reporter = QuarantineReporter(store: self.store, now: self.now, metrics: self.metrics, logger: self.logger)
        let deferred = [reporter] + workers
        guard self.configuration.detectsTerminatedWorkers else { return [queueWatch] + deferred }
        let liveness = WorkerLivenessService(
            store: self.store,
            now: self.now,
            metrics: self.metrics,
            logger: self.logger
        )
        return [liveness, queueWatch] + deferred.map(liveness.deferring)
    }

    /// The configuration of the listener of the API or of the probes, with its limits.
    func listening(on port: Int) -> PushAPIConfiguration {
        let configuration = self.configuration
        var listening = PushAPIConfiguration()
        listening.worker = self.worker
        listening.version = apusVersion
        listening.host = configuration.host
        listening.port = port
        let files = FileDescriptorLimit.raiseLimit()
        let room = FileDescriptorLimit.connections(
            within: files,
            processors: ProcessInfo.processInfo.activeProcessorCount
        )
        listening.connections.maximum = min(configuration.maxConnections, room)
        listening.connections.perAddress = configuration.connectionsPerAddress
        listening.connections.bodyBytes = configuration.bodyMegabytes << 20
        listening.connections.proxies = configuration.trustedProxies
        listening.keyRequestsPerSecond = configuration.keyRequestsPerSecond
        listening.maximumWait = .seconds(configuration.waitTimeoutSeconds)
        listening.activityLimits = configuration.activityLimits
        listening.notificationRetention = Self.retention(days: configuration.notificationDays)
        listening.auditRetention = Self.retention(days: configuration.auditDays)
        listening.inactiveDeviceRetention = Self.retention(days: configuration.inactiveDeviceDays)
        listening.invalidDeviceRetention = Self.retention(days: configuration.invalidDeviceDays)
        listening.eventRetention = .seconds(configuration.eventDays * 24 * 3600)
        listening.maximumEvents = configuration.maxEventsPerApp
        listening.allowsInsecureWebhooks = configuration.allowsInsecureWebhooks
        listening.allowsPrivateNetworks = configuration.allowsPrivateNetworks
        listening.credentialDirectory = CredentialDirectory(configuration.credentialDirectory)
        listening.sns = configuration.sns
        listening.metricsAreUnauthenticated = configuration.metricsAreUnauthenticated
        listening.console = configuration.console
        return listening
    }

    /// `nil` keeps records forever.
    private static func retention(days: Int) -> Duration? { days == 0 ? nil : .seconds(days * 24 * 3600) }
}

/// Converts the state of the delivery in this process to the types of the API.
struct DeliveryServiceStatusProvider: DeliveryStatusProvider {
    let delivery: DeliveryService

    func circuits(of app: AppID) -> [DeliveryCircuit] {
        self.delivery.standings(of: app).map { standing in
            DeliveryCircuit(
                environment: standing.environment,
                credential: standing.credential,
                state: standing.state,
                trouble: standing.trouble.map { .init(cause: $0.cause, reason: $0.reason, since: $0.since) },
                nextProbeAt: standing.nextProbeAt,
                kinds: Set(standing.kinds)
            )
        }
    }
}

/// Executes the jobs that the store does not execute: calls webhooks.
struct WebhookJobHandler: JobHandler {
    let caller: JobWebhookCaller

    func run(_ claimed: ClaimedJobRun) async throws -> JobRunResult {
        try await self.caller.call(claimed)
    }
}

/// Posts test events exactly as all others are posted.
struct WebhookTestSender: WebhookTester {
    let sender: WebhookSender

    func test(_ webhook: Webhook) async -> WebhookAttemptResult {
        await self.sender.test(webhook)
    }
}

/// The registry of the server's process.
enum ServerMetrics {
    /// Creates a registry with the catalogue and the metrics of the process.
    static func registry(startedAt: Date = Date()) -> MetricsRegistry {
        var configuration = MetricsRegistryConfiguration()
        configuration.descriptions = MetricCatalogue.all
        let registry = MetricsRegistry(configuration: configuration)
        ProcessMetrics.add(to: registry, startedAt: startedAt)
        registry.set("apus_build_info", BuildInfo.labels, to: 1)
        return registry
    }
}
