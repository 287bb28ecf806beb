// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Serves a table of routes: access control, the answers to errors, and the socket.
struct RouteListener: Sendable {
    let table: [APIRoute]

    /// Routes that the OpenAPI document does not have, since they speak another protocol.
    var doors: [APIRoute] = []
    let verifier: KeyVerifier
    let configuration: PushAPIConfiguration

    /// What runs as long as it listens.
    let services: [any Service]

    let logger: Logger

    /// Is called with the bound port once requests are served.
    let onListening: @Sendable (Int) async -> Void

    /// The routes, with access control and the answers to errors.
    func router() -> Router<PushAPIContext> {
        let router = Router(context: PushAPIContext.self)
        let routes = self.table + self.doors.filter { !self.isTaken($0) }
        router.add(middleware: ProblemMiddleware(routes: routes))
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                var call = APICall(request: request, context: context)
                if case .scopes(let scopes) = route.access {
                    let app = route.isOfApp ? try call.app() : nil
                    let header = request.headers[.authorization]
                    call.key = try await self.verifier.authorize(header, scopes: scopes, app: app)
                    call.refusal = { await self.verifier.refusal(of: header, scopes: scopes, app: app) }
                }
                return try await route.handler(call)
            }
        }
        return router
    }

    /// Whether the table has a route of a door's method and path; a router that is given both would trap.
    private func isTaken(_ door: APIRoute) -> Bool {
        let path = door.path.split(separator: "/")
        return self.table.contains { $0.method == door.method && $0.path.split(separator: "/") == path }
    }

    func application() -> Application<RouterResponder<PushAPIContext>> {
        Application(
            router: self.router(),
            server: .http1(
                configuration: .init(idleTimeout: TimeAmount(self.configuration.idleTimeout))
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "apus",
                availableConnectionsDelegate: ConnectionLimit(
                    maximum: self.configuration.maximumConnections,
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

    /// Whether the limit was logged; it is logged again only after the count was down to half of the maximum.
    private var hasWarned = false

    init(maximum: Int, logger: Logger) {
        self.maximum = maximum
        self.logger = logger
    }

    mutating func connectionOpened() {
        self.count += 1
        guard self.count >= self.maximum, !self.hasWarned else { return }
        self.hasWarned = true
        self.logger.warning(
            "As many connections are open as may be; others wait",
            metadata: ["connections": "\(self.maximum)"]
        )
    }

    mutating func connectionClosed() {
        self.count -= 1
        if self.count <= self.maximum / 2 { self.hasWarned = false }
    }

    func isAcceptingNewConnections() -> Bool { self.count < self.maximum }
}
