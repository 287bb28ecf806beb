// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import Logging
import Metrics
import PushModel
import PushStore

/// Converts every error to a problem response, and adds the request ID to every response.
///
/// Server errors are logged at error level with their cause; client errors, at debug level.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = PushAPIContext

    private let routes: [APIRoute]

    /// Counts requests to paths that there are not.
    private let unrouted: RouteMetrics

    init(routes: [APIRoute], metrics: any MetricsFactory) {
        self.routes = routes
        self.unrouted = RouteMetrics("none", method: "none", metrics)
    }

    func handle(
        _ request: Request,
        context: PushAPIContext,
        next: (Request, PushAPIContext) async throws -> Response
    ) async throws -> Response {
        try await self.answer(request, context, countedBy: self.unrouted) { try await next(request, context) }
    }

    /// Answers a request by `handler`, or with the problem that it throws.
    func answer(
        _ request: Request,
        _ context: PushAPIContext,
        countedBy metrics: RouteMetrics,
        _ handler: () async throws -> Response
    ) async throws -> Response {
        let begin = ContinuousClock.now
        var response: Response
        do {
            response = try await handler()
        } catch let interruption as RequestBodyError {
            // If the deadline ended the request, the handler of the connection has sent the response.
            if let problem = interruption.cause as? Problem {
                self.log(problem, request: request, context: context)
                metrics.count(status: problem.code.entry.status, duration: ContinuousClock.now - begin)
            }
            throw interruption.cause
        } catch {
            let problem = self.problem(for: error, request: request)
            self.log(problem, request: request, context: context)
            response = try Self.response(to: problem, requestID: context.id)
        }
        response.headers[.requestID] = context.id
        if request.method == .head {
            // The length of a body that must not follow (RFC 9110, section 9.3.2).
            if let length = response.body.contentLength { response.headers[.contentLength] = "\(length)" }
            response.body = ResponseBody()
        }
        metrics.count(status: response.status.code, duration: ContinuousClock.now - begin)
        return response
    }

    private func problem(for error: any Error, request: Request) -> Problem {
        switch error {
        case let problem as Problem:
            return problem
        case let error as StoreError:
            return Problem(error)
        case let refusal as DeviceAccessError:
            return Problem(refusal)
        case is CancellationError:
            return Problem(.shuttingDown, ProblemCode.shuttingDown.entry.meaning)
        case let error as HTTPError where error.status == .notFound:
            return self.unrouted(request)
        default:
            return Problem(.internalError, ProblemCode.internalError.entry.meaning, cause: error)
        }
    }

    private func unrouted(_ request: Request) -> Problem {
        let path = request.uri.path
        let matching = self.routes.filter { $0.matches(path: path) }
        let fixed = matching.filter(\.hasFixedEnding)
        let methods = (fixed.isEmpty ? matching : fixed).map(\.method.rawValue)
        let shown = "'\(path.prefix(200))'"
        if methods.isEmpty { return Problem(.routeNotFound, "There is no path \(shown).") }
        let list = methods.joined(separator: ", ")
        return Problem(.methodNotAllowed, "\(request.method) is not for \(shown), which knows \(list).", allow: methods)
    }

    private func log(_ problem: Problem, request: Request, context: PushAPIContext) {
        let isOurs = problem.code.entry.status >= 500
        let metadata: Logger.Metadata = [
            "http.method": "\(request.method)",
            "http.route": "\(context.endpointPath ?? "none")",
            "problem.code": "\(problem.code.rawValue)",
        ]
        let level: Logger.Level = isOurs ? .error : .debug
        context.logger.log(level: level, "\(problem.detail)", error: problem.cause, metadata: metadata)
    }

    private static func response(to problem: Problem, requestID: String) throws -> Response {
        let entry = problem.code.entry
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let seconds = entry.retryAfter { headers[.retryAfter] = String(seconds) }
        if entry.status == 401 { headers[.wwwAuthenticate] = "Bearer realm=\"apus\"" }
        if !problem.allow.isEmpty { headers[.allow] = problem.allow.joined(separator: ", ") }
        return try Response(
            status: HTTPResponse.Status(code: entry.status),
            headers: headers,
            body: JSONResponseEncoder.encode(ProblemResponse(problem, requestID: requestID))
        )
    }
}

extension HTTPField.Name {
    /// The id under which the server's log knows a request.
    static let requestID: HTTPField.Name = {
        // Cannot trap: the text is a constant and a valid field name.
        guard let name = HTTPField.Name("X-Request-ID") else { preconditionFailure("a valid field name") }
        return name
    }()
}
