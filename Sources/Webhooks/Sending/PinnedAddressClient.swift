// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PushModel

/// A way to one receiver: the address that was checked is the only one that is ever connected to.
final class PinnedAddressClient: Sendable {
    let url: WebhookURL
    private let client: HTTPClient
    private let maximumAnswerBytes: Int

    /// Makes the way to a receiver; nothing is connected yet.
    ///
    /// Call ``close()`` in the end.
    ///
    /// - Throws: ``WebhookRequestError`` when the host that would be asked for is another one than the host of the address.
    init(
        to url: WebhookURL,
        at address: NetworkAddress,
        configuration: WebhookConfiguration
    ) throws(WebhookRequestError) {
        // Two parsers must never read two different hosts from one URL, because only one of these was checked.
        guard let host = URL(string: url.text)?.host(), host.filter({ !"[]".contains($0) }) == url.host else {
            throw WebhookRequestError(code: .unresolved, message: "The host of the URL is ambiguous.")
        }
        self.url = url
        self.maximumAnswerBytes = configuration.maximumAnswerBytes
        var client = HTTPClient.Configuration()
        client.redirectConfiguration = .disallow
        // The default of the library is TLS 1.0.
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        client.tlsConfiguration = tls
        client.httpVersion = .http1Only
        client.decompression = .disabled
        client.connectionPool.retryConnectionEstablishment = false
        client.connectionPool.idleTimeout = .seconds(5)
        // Cannot trap: at most a day. The request as a whole has a separate deadline.
        client.timeout.connect = .nanoseconds(Int64(min(configuration.deadline, .seconds(86_400)) / .nanoseconds(1)))
        client.dnsOverride[url.host] = address.text
        // An IPv6 address may still have its brackets.
        client.dnsOverride[host] = address.text
        self.client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: client)
    }

    /// Sends a request; returns the status and the start of the body.
    ///
    /// - Throws: the error of the client if there is no response; `CancellationError`.
    func post(_ post: HTTPPostRequest) async throws -> (status: Int, excerpt: String?) {
        var request = HTTPClientRequest(url: self.url.text)
        request.method = .POST
        request.headers = HTTPHeaders(post.fields)
        request.body = .bytes(post.body)
        let response = try await self.client.execute(request, deadline: .distantFuture)
        var body: [UInt8] = []
        for try await part in response.body {
            body += part.readableBytesView.prefix(self.maximumAnswerBytes - body.count)
            // Leaving the loop closes the connection; the body may be endless.
            if body.count >= self.maximumAnswerBytes { break }
        }
        let text = String(decoding: body, as: UTF8.self).prefix(200)
        return (Int(response.status.code), text.isEmpty ? nil : String(text))
    }

    func close() async {
        // It fails only when it is called twice.
        try? await self.client.shutdown()
    }
}

/// The request to a webhook.
package struct HTTPPostRequest: Sendable {
    /// The names and values of the header fields, beside those of the connection and of the body's length.
    package let fields: [(String, String)]

    package let body: [UInt8]

    package init(fields: [(String, String)], body: [UInt8]) {
        self.fields = fields
        self.body = body
    }
}
