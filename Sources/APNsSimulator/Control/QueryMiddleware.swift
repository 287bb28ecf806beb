// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird

/// Refuses parameters of a query that the route does not know.
struct QueryMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A path that nobody serves is answered as such, whatever its query is.
        if let path = context.endpointPath, path.hasPrefix("/") {
            let method = request.method == .head ? HTTPRequest.Method.get : request.method
            try ControlQuery(request).check(for: "\(method.rawValue) \(path)")
        }
        return try await next(request, context)
    }
}
