// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOHTTP1

/// What sends a test's requests.
protocol TestClient: Sendable {
    /// The port of the server; `nil` when there is no socket in between.
    var port: Int? { get }

    /// Sends a request and waits for its whole answer.
    func answer(
        to method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields,
        body: ByteBuffer?
    ) async throws -> Answer
}

/// Hands requests to the router, without a socket.
struct RouterClient: TestClient {
    let base: any TestClientProtocol

    var port: Int? { nil }

    func answer(
        to method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields,
        body: ByteBuffer?
    ) async throws -> Answer {
        try await self.base.execute(uri: path, method: method, headers: headers, body: body) { response in
            Answer(status: response.status.code, headers: response.headers, body: response.body)
        }
    }
}

extension HTTPClient.Configuration {
    /// Waits for a connection as long as a suite may take.
    static var patient: HTTPClient.Configuration {
        HTTPClient.Configuration(timeout: .init(connect: SocketClient.deadline))
    }
}

/// Sends requests through a socket, and waits as long as a suite may take: a loaded machine is no fault.
struct SocketClient: TestClient {
    static let deadline: TimeAmount = .minutes(4)
    private static let maximumAnswerBytes = 64 << 20

    let server: Int
    let base: HTTPClient

    var port: Int? { self.server }

    func answer(
        to method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields,
        body: ByteBuffer?
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(self.server)\(path)")
        request.method = HTTPMethod(rawValue: method.rawValue)
        for field in headers { request.headers.add(name: field.name.rawName, value: field.value) }
        if let body { request.body = .bytes(body) }
        let response = try await self.base.execute(request, timeout: Self.deadline)
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return Answer(
            status: Int(response.status.code),
            headers: fields,
            body: try await response.body.collect(upTo: Self.maximumAnswerBytes)
        )
    }
}
