// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CWebPages
import HTTPTypes
package import Hummingbird
import NIOCore

/// A page that the executable contains: HTML, CSS and ES modules, without a build step.
package enum WebPage: String, Sendable {
    /// The device wall of the simulator.
    case wall

    /// The console of the server.
    case console

    /// What a browser may do for a page: it loads from this origin only, and no text becomes markup or script.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
        """

    /// The response with a file of the page; `nil` if it has no such file.
    package func file(_ name: String) -> Response? {
        let files = UnsafeBufferPointer(start: apus_page_files(), count: apus_page_file_count())
        let name = "\(self.rawValue)/\(name)"
        guard let file = files.first(where: { String(cString: $0.name) == name }) else { return nil }
        var headers: HTTPFields = [
            .contentType: String(cString: file.type), .cacheControl: "no-cache",
            .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff",
        ]
        for (name, value) in [("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin")] {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
