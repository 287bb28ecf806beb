// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import Logging

/// Answers every failure of the control API with a problem document.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    let routes: RouteTable

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let interruption as BodyInterruption {
            context.logger.debug("a request ended in its body", metadata: ["error": "\(interruption.cause)"])
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
        context.logger.error("the control API failed", metadata: ["error": "\(error)"])
        return ControlProblem(.internalError, detail: "the simulator failed; its log says more")
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
