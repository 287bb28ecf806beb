// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// The control API as any program sees it: HTTP and JSON.
struct ControlClient: Sendable {
    let base: String

    init(_ simulator: APNsSimulator) {
        self.base = "http://127.0.0.1:\(simulator.controlPort)"
    }

    /// What came back.
    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var contentType: String? { self.headers["content-type"] }

        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(self.body)) as? [String: Any]) ?? [:]
        }

        func string(_ name: String) -> String? { self.json[name] as? String }
        func object(_ name: String) -> [String: Any] { self.json[name] as? [String: Any] ?? [:] }
        func objects(_ name: String) -> [[String: Any]] { self.json[name] as? [[String: Any]] ?? [] }
    }

    /// Calls the control API; `headers` take the place of those that a client sends by itself.
    func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        headers: [(name: String, value: String)] = [("content-type", "application/json")]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: self.base + path)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        let buffer = try await response.body.collect(upTo: 16 << 20)
        return Answer(
            status: Int(response.status.code),
            headers: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first },
            body: Array(buffer.readableBytesView)
        )
    }

    /// Opens the live feed. The head of the answer has come: the reader is registered.
    func deliveries(accept: String? = nil) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: self.base + "/v1/deliveries")
        if let accept { request.headers.add(name: "accept", value: accept) }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(300))
    }
}
