// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The control API: everything that tests of any language do to a simulator, over plain HTTP.
struct ControlAPI: Sendable {
    typealias Context = BasicRequestContext

    /// The largest body of a request.
    ///
    /// Unit: bytes.
    static let maximumBody = 1 << 20

    let simulator: APNsSimulator

    /// Every route.
    ///
    /// The paths are those of the OpenAPI document.
    func router() -> Router<Context> {
        let names = Router(context: Context.self)
        self.addRoutes(to: names)
        let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
        let routes = names.routes.map { (method: $0.method.rawValue, path: $0.path.description) }
        router.add(middleware: ProblemMiddleware(routes: RouteTable(routes)))
        let configuration = self.simulator.configuration
        let hosts = ControlHosts(listeningOn: configuration.host, names: configuration.controlHosts)
        router.add(middleware: AccessMiddleware(hosts: hosts))
        router.add(middleware: QueryMiddleware())
        self.addRoutes(to: router)
        return router
    }

    private func addRoutes(to router: Router<Context>) {
        router.get("/healthz") { _, _ in Self.json(.object([("status", .string("ok"))])) }
        router.get("/v1/info") { _, _ in Self.json(self.info()) }
        self.addWallRoutes(to: router)
        self.addDeviceRoutes(to: router)
        self.addActivationRoutes(to: router)
        self.addClockRoutes(to: router)
        self.addWorldRoutes(to: router)
        router.post("/v1/keys", use: self.addKey)
        router.get("/v1/keys") { _, _ in Self.json(self.listKeys()) }
        router.delete("/v1/keys/{keyID}", use: self.revokeKey)
        router.post("/v1/certificates", use: self.issueCertificate)
        router.get("/v1/teams") { _, _ in Self.json(self.listTeams()) }
        router.put("/v1/teams/{teamID}", use: self.setTeam)
        router.delete("/v1/teams/{teamID}", use: self.forgetTeam)
        router.get("/v1/connections", use: self.listConnections)
        router.delete("/v1/connections", use: self.endConnections)
        router.delete("/v1/connections/{id}", use: self.endConnection)
        router.post("/v1/faults", use: self.injectFaults)
        router.delete("/v1/faults/{id}", use: self.removeFault)
        router.get("/v1/faults") { _, _ in Self.json(self.listFaults()) }
        router.delete("/v1/faults", use: self.clearFaults)
        router.get("/v1/deliveries", use: self.streamDeliveries)
        self.addActivityRoutes(to: router)
        self.addChannelRoutes(to: router)
        router.get("/v1/events", use: self.streamEvents)
        router.post("/v1/reset", use: self.reset)
    }

    /// The object in a request's body; no body at all is an empty object.
    static func body(_ request: Request) async throws -> JSONRequestBody {
        let buffer = try await self.bytes(of: request, upTo: Self.maximumBody)
        guard buffer.readableBytes > 0 else { return try JSONRequestBody("{}".utf8) }
        return try JSONRequestBody(buffer.readableBytesView)
    }

    /// A request's body.
    ///
    /// - Throws: ``ControlProblem`` `bodyTooLarge`; ``RequestBodyError`` where the body does not come.
    static func bytes(of request: Request, upTo maximum: Int) async throws -> ByteBuffer {
        do {
            return try await request.body.collect(upTo: maximum)
        } catch is NIOTooManyBytesError {
            throw ControlProblem.bodyTooLarge(maximum)
        } catch let error as any HTTPResponseError {
            throw error
        } catch {
            throw RequestBodyError(cause: error)
        }
    }

    static func json(_ value: JSONOutput, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }

    static func created(_ value: JSONOutput) -> Response { self.json(value, status: .created) }

    static func noContent() -> Response { Response(status: .noContent) }

    private func reset(_ request: Request, _ context: Context) async throws -> Response {
        try await Self.body(request).finish()
        self.simulator.reset()
        await self.simulator.core.followers.catchUp()
        return Self.noContent()
    }

    private func info() -> JSONOutput {
        let statistics = self.simulator.statistics
        let configuration = self.simulator.configuration
        let rejected = statistics.rejected.sorted { $0.key.rawValue < $1.key.rawValue }
        let switches = configuration.switches.positions.sorted { $0.key < $1.key }
        let endpoints = self.simulator.currentEndpoints
        return .object([
            ("host", .string(configuration.host)),
            ("port", .integer(self.simulator.port)),
            ("controlPort", .integer(self.simulator.controlPort)),
            ("channelPort", .integer(self.simulator.channelPort)),
            ("gatewayPort", endpoints?.gatewayPort.map { .integer($0) } ?? .null),
            ("feedbackPort", endpoints?.feedbackPort.map { .integer($0) } ?? .null),
            ("courierPort", endpoints?.courierPort.map { .integer($0) } ?? .null),
            ("environment", .string(configuration.environment.rawValue)),
            ("caPath", .optional(endpoints?.caPath)),
            ("caPEM", .string(self.simulator.caPEM)),
            (
                "demoKey",
                .object([
                    ("keyID", .string(self.simulator.demoKey.keyID)),
                    ("teamID", .string(self.simulator.demoKey.teamID)),
                    ("path", .optional(endpoints?.keyPath)),
                ])
            ),
            (
                "counters",
                .object([
                    ("requests", .integer(statistics.requests)),
                    ("accepted", .integer(statistics.accepted)),
                    ("rejected", .object(rejected.map { ($0.key.rawValue, .integer($0.value)) })),
                    ("faulted", .integer(statistics.faulted)),
                    ("delivered", .integer(statistics.delivered)),
                    ("stored", .integer(statistics.stored)),
                    ("expired", .integer(statistics.expired)),
                    ("replaced", .integer(statistics.replaced)),
                    ("devices", .integer(statistics.devices)),
                    ("connections", .integer(statistics.connections)),
                    ("openConnections", .integer(statistics.openConnections)),
                    ("signatureChecks", .integer(statistics.signatureChecks)),
                    ("missedDeliveries", .integer(statistics.missedDeliveries)),
                    ("missedEvents", .integer(statistics.missedEvents)),
                ])
            ),
            ("switches", .object(switches.map { ($0.key, .string($0.value)) })),
        ])
    }
}

/// The control port.
struct ControlServer: Sendable {
    let simulator: APNsSimulator
    let eventLoopGroup: any EventLoopGroup
    let logger: Logger
    /// How long a connection without a request, or with a stalled one, stays open.
    var idleTimeout: Duration { self.simulator.configuration.controlIdleTimeout }

    /// Listens until the service is shut down; passes the port to `onReady` once it is bound.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable`.
    func run(onReady: @escaping @Sendable (Int) -> Void) async throws {
        let configuration = self.simulator.configuration
        var logger = self.logger
        logger.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: ControlAPI(simulator: self.simulator).router(),
            server: .http1(configuration: .init(idleTimeout: TimeAmount(self.idleTimeout))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.controlPort)
            ),
            onServerRunning: { channel in onReady(channel.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(self.eventLoopGroup),
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw APNsSimulatorError.portUnavailable(
                configuration.controlPort,
                host: configuration.host,
                option: "--control-port",
                cause: error
            )
        }
    }
}

/// Which methods the paths of the control API know.
struct RouteTable: Sendable {
    private let routes: [(method: String, segments: [String])]

    /// A table of these routes; a segment in braces matches any text.
    init(_ routes: [(method: String, path: String)]) {
        self.routes = routes.map { ($0.method, Self.segments($0.path)) }
    }

    /// The methods of a path, in alphabetical order; none if no route matches it.
    func methods(of path: String) -> [String] {
        let segments = Self.segments(path)
        let methods = self.routes.filter { route in
            route.segments.count == segments.count
                && zip(route.segments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.map(\.method)
        // Each GET route supports HEAD too.
        return Set(methods + (methods.contains("GET") ? ["HEAD"] : [])).sorted()
    }

    private static func segments(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }
}

/// Refuses parameters of a query that the route does not know.
struct QueryMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // An unknown path is a 404, regardless of its query. That of the page belongs to the page.
        if let path = context.endpointPath, path.hasPrefix("/"), path != "/" {
            let method = request.method == .head ? HTTPRequest.Method.get : request.method
            try ControlQuery(request).check(for: "\(method.rawValue) \(path)")
        }
        return try await next(request, context)
    }
}

/// Converts every error of the control API to a problem document.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    let routes: RouteTable

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let interruption as RequestBodyError {
            context.logger.debug("Request body interrupted", metadata: ["error": "\(interruption.cause)"])
            throw interruption.cause
        } catch {
            return try self.problem(for: error, request: request, context: context)
                .response(from: request, context: context)
        }
    }

    private func problem(for error: any Error, request: Request, context: Context) -> ControlProblem {
        if let problem = error as? ControlProblem { return problem }
        if let error = error as? any HTTPResponseError {
            switch error.status {
            case .notFound, .methodNotAllowed: return self.unrouted(request)
            case .contentTooLarge: return .bodyTooLarge(ControlAPI.maximumBody)
            default: break
            }
        }
        context.logger.error("Failed to process a control request", metadata: ["error": "\(error)"])
        return ControlProblem(.internalError, detail: "internal error; see the log of the simulator")
    }

    private func unrouted(_ request: Request) -> ControlProblem {
        let methods = self.routes.methods(of: request.uri.path)
        guard !methods.isEmpty else { return .notFound("route \(request.method) \(request.uri.path.prefix(200))") }
        let rule = "one of " + methods.joined(separator: ", ")
        var problem = ControlProblem(.methodNotAllowed, field: "method", rule: rule, value: request.method.rawValue)
        problem.allow = methods
        return problem
    }
}

/// The body of a request was interrupted: the client disconnected, or sent invalid HTTP.
///
/// No client is left for an error response, and the simulator has no error.
struct RequestBodyError: Error {
    /// The transport's error.
    let cause: any Error
}
