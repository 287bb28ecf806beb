// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import COpenAPI
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel

/// The documents of the API: its OpenAPI document, and the catalogue of problems.
struct DocumentRoutes: APIRoutes {
    var routes: [APIRoute] {
        [
            APIRoute(.get, "/openapi.yaml", .anyone, self.document),
            APIRoute(.get, "/problems/{code}", .anyone, self.problem),
        ]
    }

    private func document(_ call: AuthorizedRequest) async throws -> Response {
        let yaml = UnsafeBufferPointer(start: apus_openapi(), count: apus_openapi_size())
        return .text(String(decoding: yaml, as: UTF8.self), type: "application/yaml")
    }

    private func problem(_ call: AuthorizedRequest) async throws -> Response {
        guard let code = call.parameter("code").flatMap(ProblemCode.init(rawValue:)) else {
            throw Problem(.routeNotFound, "The catalogue has no such problem.")
        }
        return .text(ProblemCatalogue.section(code), type: "text/markdown; charset=utf-8")
    }
}

extension Response {
    static func text(_ text: String, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
