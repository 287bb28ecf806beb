// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Hummingbird
import IventCore
import Logging
import ServiceLifecycle
import UnixSignals

/// The backend of the academy schedule: an HTTP API over its own database.
///
/// Writes one line to standard output when it is ready: `{"url":"http://127.0.0.1:PORT"}`.
@main
struct IventBackend {
    static func main() async throws {
        var logger = Logger(label: "ivent-backend")
        logger.logLevel = .notice
        let settings = try Settings()
        let database = try Database(path: settings.database)
        let apus = ApusClient(server: settings.apusServer, app: settings.app, key: settings.apusKey)
        let clock = try await ProcessClock(simulator: settings.clockSimulator)
        let accounts = Accounts(database: database, staffKey: try settings.require("IVENT_STAFF_KEY"))
        try await apus.registerType()

        let router = Router(context: BackendContext.self)
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: AccountMiddleware(accounts: accounts))
        AccountRoutes(accounts: accounts, database: database).add(to: router)
        ScheduleRoutes(database: database, apus: apus, now: { clock.now }).add(to: router)

        let port = Int(try settings.require("IVENT_PORT")) ?? 0
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            services: [clock],
            onServerRunning: { channel in
                print(#"{"url":"http://127.0.0.1:\#(channel.localAddress?.port ?? 0)"}"#)
                fflush(nil)
            },
            logger: logger
        )
        try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint])
    }
}

/// Who sends a request.
enum Caller: Sendable, Hashable {
    /// The staff of the academies.
    case staff
    /// A parent who is signed in.
    case parent(id: String)
}

struct BackendContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var caller: Caller?

    init(source: ApplicationRequestContextSource) { self.coreContext = .init(source: source) }

    var maxUploadSize: Int { 64 * 1024 }

    func requireStaff() throws {
        guard self.caller == .staff else { throw HTTPError(.forbidden, message: "This needs the key of the staff.") }
    }

    /// The ID of the signed-in parent.
    func requireParent() throws -> String {
        guard case .parent(let id) = self.caller else {
            throw HTTPError(.unauthorized, message: "This needs the session token of a parent: POST /sign-in.")
        }
        return id
    }
}

/// Logs failures of the database and of Apus, and answers 503, so that the caller repeats the request.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: BackendContext,
        next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error where !(error is any HTTPResponseError) {
            context.logger.error("Failed to handle a request", metadata: ["error": "\(error)"])
            throw HTTPError(.serviceUnavailable, message: "Repeat the request.")
        }
    }
}
