// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AppAttest
package import Foundation
package import Hummingbird
import HummingbirdCore
package import Logging
package import Metrics
import NIOCore
package import PushModel
package import PushStore
package import ServiceLifecycle
import Topics
import Work

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The HTTP API of a store: all routes below `/v1`, an overview at `/`, the OpenAPI document, and the probes.
///
/// It writes batches and reads outcomes; workers send them. Run it in a `ServiceGroup`, or use its ``router()``
/// together with ``services`` in another application.
package struct PushAPI: Service {
    private let documented: [APIRoute]
    private let listener: HTTPListener

    /// The services that the ``router()`` needs: they wake waiting requests and readers of the feed, send outcomes to
    /// streams, read the IDs of keys, store their last uses, and prune old notifications, events and responses.
    package let services: [any Service]

    /// Builds the API, which calls `onListening` with the bound port once it serves requests.
    ///
    /// Without `tls`, it speaks plain HTTP. Without `masterKey`, callers can store credentials only as references to files of the server. Without
    /// `channels`, the API cannot manage broadcast channels. Without `webhookTester`, tests of webhooks fail. Pass
    /// `nil` for `delivery` if this process does not deliver, and for `metricsText` if it keeps no metrics. The
    /// delivery in this process publishes outcomes through `announcements` before the store has them.
    package init(
        store: any PushStore,
        inspector: any CredentialValidator,
        masterKey: MasterKey? = nil,
        channels: (any ChannelManager)? = nil,
        webhookTester: (any WebhookTester)? = nil,
        configuration: PushAPIConfiguration = PushAPIConfiguration(),
        tls: TLSCertificates? = nil,
        delivery: (any DeliveryStatusProvider)? = nil,
        announcements: UncommittedOutcomes = UncommittedOutcomes(),
        metrics: any MetricsFactory = MetricsSystem.factory,
        metricsText: (@Sendable () -> String)? = nil,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        attestor: (any InstallationAttestor)? = AttestationVerifier.apple,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        let uses = KeyUses(store: store, clock: clock, logger: logger)
        let ids = KeyIDRecognizer(store: store, masterKey: masterKey, clock: clock, logger: logger)
        let verifier = APIKeyAuthenticator(
            store: store,
            uses: uses,
            ids: ids,
            lifetime: configuration.keyLifetime,
            now: now
        )
        let apps = AppLookup(lifetime: configuration.keyLifetime, now: now) { try await store.app($0) }
        let signals = ChangeHub(settlementsOf: store)
        let batchSignals = ChangeHub(outcomesOf: store)
        let waiter = SettlementWaiter(
            store: store,
            announcements: announcements,
            clock: clock,
            limit: configuration.maximumWait,
            recheckInterval: configuration.recheckInterval,
            grace: WaitGrace()
        )
        let reader = NotificationReader(store: store, announcements: announcements, clock: clock)
        let events = ChangeHub(eventsOf: store)
        let feed = EventFeed(
            store: store,
            signals: events,
            clock: clock,
            recheckInterval: configuration.recheckInterval,
            heartbeatInterval: configuration.heartbeatInterval
        )
        let limit = configuration.maximumBodyBytes
        let acceptance = AcceptanceMetrics(metrics)
        let groups: [any APIRoutes] = [
            ProbeRoutes(
                readiness: ReadinessProbe(store: store, now: now),
                metrics: metricsText,
                metricsAreUnauthenticated: configuration.metricsAreUnauthenticated
            ),
            DocumentRoutes(),
            AppRoutes(store: store, verifier: verifier, bodyLimit: limit, now: now),
            // The router compares a path with the routes in this order: the most frequent ones come first.
            DeviceRoutes(
                store: store,
                bodyLimit: limit,
                now: now,
                attestations: AttestationGate(
                    store: store,
                    attestor: attestor,
                    masterKey: masterKey,
                    metrics: metrics,
                    now: now
                )
            ),
            NotificationRoutes(
                store: store,
                signals: signals,
                waiter: waiter,
                reader: reader,
                configuration: configuration,
                metrics: acceptance,
                now: now
            ),
            CredentialRoutes(
                store: store,
                inspector: inspector,
                masterKey: masterKey,
                directory: configuration.credentialDirectory,
                bodyLimit: limit,
                now: now
            ),
            KeyRoutes(store: store, verifier: verifier, masterKey: masterKey, bodyLimit: limit, now: now),
            DeviceFileRoutes(store: store, lineLimit: limit, clock: clock, now: now),
            FailureRoutes(
                store: store,
                reader: reader,
                bodyLimit: limit,
                resendLimits: configuration.resend,
                metrics: acceptance,
                now: now
            ),
            DeliveryRoutes(store: store, inspector: delivery, now: now),
            CampaignRoutes(
                store: store,
                signals: signals,
                waiter: waiter,
                configuration: configuration,
                metrics: acceptance,
                clock: clock,
                now: now
            ),
            TokenValidationRoutes(store: store, configuration: configuration, now: now),
            ActivityRoutes(
                store: store,
                signals: signals,
                waiter: waiter,
                desk: ChannelProvisioner(store: store, manager: channels),
                configuration: configuration,
                metrics: acceptance,
                now: now
            ),
            ActivityTypeRoutes(store: store, bodyLimit: limit, now: now),
            ActivityTokenRoutes(store: store, bodyLimit: limit, now: now),
            ActivityMemberRoutes(store: store, bodyLimit: limit),
            TransitionRoutes(store: store, bodyLimit: limit, limits: configuration.activityLimits, now: now),
            ChannelRoutes(store: store, manager: channels, bodyLimit: limit, now: now),
            JobRoutes(store: store, configuration: configuration, now: now),
            TopicRoutes(store: store, bodyLimit: limit, now: now),
            PublicationRoutes(
                store: store,
                signals: signals,
                waiter: waiter,
                configuration: configuration,
                metrics: acceptance,
                now: now
            ),
            StreamRoutes(
                store: store,
                signals: batchSignals,
                configuration: configuration,
                metrics: acceptance,
                clock: clock,
                now: now
            ),
            EventRoutes(store: store, feed: feed),
            WebhookRoutes(
                store: store,
                tester: webhookTester,
                masterKey: masterKey,
                configuration: configuration,
                now: now
            ),
            QuarantineRoutes(store: store, now: now),
            AuditRoutes(store: store),
        ]
        let pruner = Pruner(
            Retention(store: store, configuration: configuration),
            metrics: metrics,
            clock: clock,
            now: now,
            logger: logger
        )
        let sns = masterKey.map { masterKey in
            SNSController(
                store: store,
                verifier: verifier,
                inspector: inspector,
                masterKey: masterKey,
                publisher: TopicPublisher(store: store, urgentTargetLimit: configuration.urgentTargetLimit),
                configuration: configuration.sns,
                isSecure: tls != nil,
                allowsPrivateNetworks: configuration.allowsPrivateNetworks,
                acceptance: acceptance,
                metrics: metrics,
                logger: logger,
                now: now
            )
        }
        let reporter: [any Service] =
            sns.map { door in
                [
                    SNSEndpointEventPublisher(
                        store: store,
                        topics: door.desk.publishing.topics,
                        worker: configuration.worker,
                        now: now,
                        metrics: metrics,
                        logger: logger
                    )
                ]
            } ?? []
        self.services = [signals, batchSignals, events, uses, ids, waiter.grace, pruner] + reporter
        let console =
            configuration.console == .disabled
            ? nil : masterKey.map { ConsoleAccess(audience: configuration.console, masterKey: $0, now: now) }
        let overview = OverviewRoutes(version: configuration.version, console: console, sns: sns?.rootHandler)
        let pages = console.map {
            ConsoleRoutes(access: $0, verifier: verifier, version: configuration.version).routes
        }
        self.documented = groups.flatMap(\.routes) + overview.routes + (sns?.documentedRoutes ?? [])
        self.listener = HTTPListener(
            table: self.documented + (pages ?? []),
            doors: sns?.routes ?? [],
            verifier: verifier,
            console: console,
            apps: apps,
            configuration: configuration,
            tls: tls,
            services: self.services,
            metrics: metrics,
            logger: logger,
            onListening: onListening
        )
    }

    /// Every operation that the document has; the SNS endpoint and the console are not among them, and the certificate
    /// of the SNS endpoint is, below its path.
    package var routes: [RouteDescription] { self.documented.map(RouteDescription.init) }

    /// The routes, with access control and the answers to errors.
    package func router() -> Router<PushAPIContext> {
        self.listener.router()
    }

    package func application() -> Application<RouterResponder<PushAPIContext>> {
        self.listener.application()
    }

    /// Serves requests until the surrounding `ServiceGroup` stops it, then answers those that have begun.
    ///
    /// - Throws: ``PushAPIError`` `.addressInUse`, `.addressUnavailable` when it cannot listen; `.pathTaken`.
    package func run() async throws {
        try await self.listener.run()
    }
}

/// Why the API could not be served.
package struct PushAPIError: Error, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The path of the SNS endpoint is one of the API's own.
        case pathTaken

        /// Another process listens there.
        case addressInUse

        /// This machine has no such address, or the user may not listen there.
        case addressUnavailable
    }

    package let code: Code

    /// The failure and its fix.
    package let message: String

    /// The system's own error, where there is one.
    package let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    init(pathTaken path: String) {
        self.init(
            .pathTaken,
            "The path '\(path)' of the SNS endpoint is one of the API's own. Set sns.path to another path."
        )
    }

    init(_ error: IOError, configuration: PushAPIConfiguration) {
        let place = "\(configuration.host):\(configuration.port)"
        if error.errnoCode == EADDRINUSE {
            let message = "Another process listens on \(place). Stop it, or choose another port; 0 takes a free one."
            self.init(.addressInUse, message, cause: error)
        } else {
            let fix = "Choose an address of this machine and a port from 1024 up."
            self.init(.addressUnavailable, "Cannot listen on \(place) (\(error)). \(fix)", cause: error)
        }
    }

    init(_ error: SocketAddressError.UnknownHost, configuration: PushAPIConfiguration) {
        let rule = "no such host is known. Choose an address of this machine."
        self.init(.addressUnavailable, "Cannot listen on '\(configuration.host)': \(rule)", cause: error)
    }

    package var description: String { "\(self.code.rawValue): \(self.message)" }
}

/// The state of one request in the API.
package struct PushAPIContext: RequestContext {
    /// The state of Hummingbird.
    package var coreContext: CoreRequestContextStorage

    /// The connection.
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
    }
}

extension ChangeHub where Key == NotificationID {
    /// Wakes requests that wait for all outcomes of a notification.
    convenience init(settlementsOf store: any StoreChangeSource) {
        self.init(store) { if case .notificationSettled(let id) = $0 { id } else { nil } }
    }
}

extension ChangeHub where Key == BatchID {
    /// Wakes streams that wait for outcomes of their batches.
    convenience init(outcomesOf store: any StoreChangeSource) {
        self.init(store) { if case .batchAdvanced(let id) = $0 { id } else { nil } }
    }
}

extension ChangeHub where Key == AppID {
    /// Wakes readers of the event feed of an app.
    convenience init(eventsOf store: any StoreChangeSource) {
        self.init(store) { if case .eventsAppended(let app) = $0 { app } else { nil } }
    }
}
