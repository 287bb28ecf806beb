// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import Logging

/// Answers every failure of the control API with a problem document.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try Self.problem(for: error, request: request, context: context)
                .response(from: request, context: context)
        }
    }

    private static func problem(for error: any Error, request: Request, context: Context) -> ControlProblem {
        if let problem = error as? ControlProblem { return problem }
        if let error = error as? any HTTPResponseError {
            switch error.status {
            case .notFound: return .notFound("route \(request.method) \(request.uri.path)")
            case .methodNotAllowed:
                return ControlProblem(.methodNotAllowed, detail: "\(request.method) is not served on this path")
            case .contentTooLarge:
                return ControlProblem(.bodyTooLarge, detail: "a body may have \(ControlAPI.maximumBody) bytes")
            default: break
            }
        }
        context.logger.error("the control API failed", metadata: ["error": "\(error)"])
        return ControlProblem(.internalError, detail: "the simulator failed; its log says more")
    }
}
