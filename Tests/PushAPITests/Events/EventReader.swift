// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import PushModel
import Testing

/// A reader of the feed's live streams over a real connection, that sees every line as it comes.
struct EventReader {
    /// An event as a stream writes it.
    struct Event: Sendable {
        var id: String?
        var kind: String?
        var json: JSONValue

        var number: Int? { self.json["data"]?["number"]?.number }
    }

    let response: HTTPClientResponse
    private var parts: HTTPClientResponse.Body.AsyncIterator
    private var buffer: [UInt8] = []

    private init(_ response: HTTPClientResponse) {
        self.response = response
        self.parts = response.body.makeAsyncIterator()
    }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - client: holds the connection; shutting it down closes that.
    ///   - api: the server.
    ///   - query: the query with its question mark, or nothing.
    ///   - format: what `Accept` asks for.
    ///   - lastID: the header `Last-Event-ID`.
    static func open(
        _ client: HTTPClient,
        _ api: TestAPI,
        query: String = "",
        format: String = "text/event-stream",
        lastID: String? = nil,
        key: String? = nil
    ) async throws -> EventReader {
        try await self.open(
            client,
            port: try #require(api.client.port),
            query: query,
            format: format,
            lastID: lastID,
            key: key ?? api.admin.text
        )
    }

    /// Opens a stream of the server at a port.
    static func open(
        _ client: HTTPClient,
        port: Int,
        query: String = "",
        format: String = "text/event-stream",
        lastID: String? = nil,
        key: String
    ) async throws -> EventReader {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v1/apps/\(TestAPI.app)/events\(query)")
        request.headers.add(name: "authorization", value: "Bearer \(key)")
        request.headers.add(name: "accept", value: format)
        if let lastID { request.headers.add(name: "last-event-id", value: lastID) }
        return EventReader(try await client.execute(request, deadline: .distantFuture))
    }

    /// The next line without its end; `nil` when the stream has ended.
    mutating func line() async throws -> String? {
        while true {
            if let end = self.buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: self.buffer[..<end], as: UTF8.self)
                self.buffer.removeFirst(end + 1)
                return line
            }
            guard let part = try await self.parts.next() else { return nil }
            self.buffer += part.readableBytesView
        }
    }

    /// The next event; heartbeats are passed over.
    mutating func event() async throws -> Event? {
        var id: String?
        var kind: String?
        while let line = try await self.line() {
            if line.hasPrefix("{") {
                return Event(json: try JSONValue(json: Array(line.utf8)))
            } else if line.hasPrefix("id: ") {
                id = String(line.dropFirst(4))
            } else if line.hasPrefix("event: ") {
                kind = String(line.dropFirst(7))
            } else if line.hasPrefix("data: ") {
                return Event(id: id, kind: kind, json: try JSONValue(json: Array(line.utf8.dropFirst(6))))
            }
        }
        return nil
    }

    /// The numbers of the next events.
    mutating func numbers(_ count: Int) async throws -> [Int] {
        var numbers: [Int] = []
        while numbers.count < count, let event = try await self.event() {
            if let number = event.number { numbers.append(number) }
        }
        return numbers
    }
}

/// A client of its own for a body, whose connections are closed after it.
func withHTTPClient<Value>(_ body: (HTTPClient) async throws -> Value) async throws -> Value {
    let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: .patient)
    do {
        let value = try await body(client)
        try await client.shutdown()
        return value
    } catch {
        try? await client.shutdown()
        throw error
    }
}
