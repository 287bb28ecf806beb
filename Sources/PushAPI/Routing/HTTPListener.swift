// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import PushModel
import ServiceLifecycle
import Synchronization

/// Serves a table of routes: access control, the answers to errors, and the socket.
struct HTTPListener: Sendable {
    let table: [APIRoute]

    /// Routes that the OpenAPI document does not have, since they speak another protocol.
    let doors: [APIRoute]
    let verifier: APIKeyAuthenticator
    let console: ConsoleAccess?
    let apps: AppLookup
    let configuration: PushAPIConfiguration

    /// What connections are served with; `nil` for plain HTTP.
    let tls: TLSCertificates?
    let metrics: any MetricsFactory

    /// The services that run while it listens.
    let services: [any Service]

    let logger: Logger

    /// Is called with the bound port once requests are served.
    let onListening: @Sendable (Int) async -> Void

    private let connections: ClientConnections
    private let memory: BodyMemory
    private let shares: CallShares
    private let rates: KeyRates
    private let failures: AuthenticationFailures

    init(
        table: [APIRoute],
        doors: [APIRoute] = [],
        verifier: APIKeyAuthenticator,
        console: ConsoleAccess? = nil,
        apps: AppLookup,
        configuration: PushAPIConfiguration,
        tls: TLSCertificates? = nil,
        services: [any Service] = [],
        metrics: any MetricsFactory,
        logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void
    ) {
        self.table = table
        self.doors = doors
        self.verifier = verifier
        self.console = console
        self.apps = apps
        self.configuration = configuration
        self.tls = tls
        self.services = services + (tls.map { [$0] } ?? [])
        self.metrics = metrics
        self.logger = logger
        self.onListening = onListening
        self.connections = ClientConnections(configuration.connections, logger: logger)
        self.failures = AuthenticationFailures(metrics: metrics)
        self.memory = BodyMemory(limit: configuration.connections.bodyBytes)
        self.shares = CallShares(configuration)
        self.rates = KeyRates(perSecond: configuration.keyRequestsPerSecond)
    }

    /// The routes, with access control and the answers to errors.
    func router() -> Router<PushAPIContext> {
        let router = Router(context: PushAPIContext.self)
        let routes = self.table + self.doors.filter { !self.isTaken($0) }
        let problems = ProblemMiddleware(routes: routes, metrics: self.metrics)
        for route in routes {
            let metrics = RouteMetrics(route.path, method: route.method.rawValue, self.metrics)
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await problems.answer(request, context, countedBy: metrics) {
                    try await self.handle(request, context, route)
                }
            }
        }
        // After the routes, so that it serves only requests to no route.
        router.add(middleware: problems)
        return router
    }

    private func handle(_ request: Request, _ context: PushAPIContext, _ route: APIRoute) async throws -> Response {
        let gate = CallerGate(
            verifier: self.verifier,
            console: self.console,
            connections: self.connections,
            failures: self.failures,
            rates: self.rates,
            channel: context.channel,
            headers: request.headers,
            logger: context.logger
        )
        var call = AuthorizedRequest(
            request: request,
            context: context,
            memory: BodyMemory.Share(of: self.memory),
            shares: self.shares,
            gate: gate,
            apps: self.apps,
            account: self.configuration.sns.account
        )
        if let scopes = route.access.scopes {
            let reach = try route.reach(of: call)
            call.caller = try await gate.authorize(request, scopes: scopes, reach: reach)
            call.memory = BodyMemory.Share(of: self.memory, key: call.key?.id)
            if call.key?.policy != nil {
                guard let actions = route.actions else {
                    throw Problem(.policyDenied, "The key has a policy, and the route corresponds to no action of SNS.")
                }
                for action in actions { try call.checkPolicy(action, on: call.parameter("topic")) }
            }
        }
        let origin = route.isAudited ? call.auditOrigin() : nil
        var response = try await AuditOrigin.binding(origin) { [call] in try await route.handle(call) }
        if let end = call.key?.expiryToWarn(now: self.verifier.now()) {
            response.headers[.keyExpiry] = Timestamp.text(end)
        }
        if case .session? = call.caller?.credential { response.headers[.cacheControl] = "no-store" }
        return response
    }

    /// Whether the table has a route of a door's method and path; a router that is given both would trap.
    private func isTaken(_ door: APIRoute) -> Bool {
        let path = door.path.split(separator: "/")
        return self.table.contains { $0.method == door.method && $0.path.split(separator: "/") == path }
    }

    func application() -> Application<RouterResponder<PushAPIContext>> {
        Application(
            router: self.router(),
            server: HTTPServerBuilder { responder in
                let plain = EventLoopChannel(
                    base: HTTP1Channel(
                        responder: responder,
                        configuration: .init(
                            additionalChannelHandlers: [ConnectionHandler(self.connections)],
                            httpDecoderConfiguration: .init(
                                maxHeaderFieldSize: 16 << 10,
                                maxHeaderListSize: 32 << 10,
                                maxHeaderFieldCount: 128
                            )
                        )
                    ),
                    proxies: self.configuration.connections.proxies
                )
                guard let tls = self.tls else { return plain }
                return TLSServerChannel(base: plain, certificates: tls)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "apus",
                availableConnectionsDelegate: ConnectionLimit(
                    maximum: self.configuration.connections.maximum,
                    logger: self.logger
                )
            ),
            services: self.services,
            onServerRunning: { channel in await self.onListening(channel.localAddress?.port ?? 0) },
            logger: self.logger
        )
    }

    /// Serves requests until the surrounding `ServiceGroup` stops it, then answers those that have begun.
    ///
    /// - Throws: ``PushAPIError`` `.addressInUse`, `.addressUnavailable` when it cannot listen; `.pathTaken` when a
    ///   door has the path of another route.
    func run() async throws {
        if let door = self.doors.first(where: self.isTaken) { throw PushAPIError(pathTaken: door.path) }
        do {
            try await self.application().run()
        } catch let error as IOError {
            throw PushAPIError(error, configuration: self.configuration)
        } catch let error as SocketAddressError.UnknownHost {
            throw PushAPIError(error, configuration: self.configuration)
        }
    }
}

/// How many connections are open at once: while as many are as may be, none is taken from the system's queue.
struct ConnectionLimit: AvailableConnectionsDelegate {
    private let maximum: Int
    private let logger: Logger
    private var count = 0

    init(maximum: Int, logger: Logger) {
        self.maximum = maximum
        self.logger = logger
    }

    mutating func connectionOpened() {
        self.count += 1
        guard self.count >= self.maximum else { return }
        self.logger.warning(
            "Reached the maximum number of connections; further clients wait",
            metadata: ["connections": "\(self.maximum)"]
        )
    }

    mutating func connectionClosed() {
        self.count -= 1
    }

    func isAcceptingNewConnections() -> Bool { self.count < self.maximum }
}

/// Counts the requests to one route and their times; makes the series on first use, since most routes are never called.
final class RouteMetrics: Sendable {
    private let path: String
    private let method: String
    private let factory: any MetricsFactory
    private let series = Mutex<(counters: [Int: Counter], timer: Timer?)>(([:], nil))

    init(_ path: String, method: String, _ factory: any MetricsFactory) {
        self.path = path
        self.method = method
        self.factory = factory
    }

    func count(status: Int, duration: Duration) {
        let (counter, timer) = self.series.withLock { series in
            if let counter = series.counters[status], let timer = series.timer { return (counter, timer) }
            let labels = [("route", self.path), ("method", self.method)]
            let counter =
                series.counters[status]
                ?? Counter(
                    label: "apus_http_requests_total",
                    dimensions: labels + [("status", "\(status)")],
                    factory: self.factory
                )
            let timer =
                series.timer
                ?? Timer(label: "apus_http_request_duration_seconds", dimensions: labels, factory: self.factory)
            series.counters[status] = counter
            series.timer = timer
            return (counter, timer)
        }
        counter.increment()
        timer.record(duration: duration)
    }
}
