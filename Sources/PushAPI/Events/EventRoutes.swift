// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// The feed: `/v1/apps/{app}/events`, as pages and as live streams.
struct EventRoutes: APIRoutes {
    let store: any AppStore & EventStore
    let feed: EventFeed

    var routes: [APIRoute] {
        [APIRoute(.get, "/v1/apps/{app}/events", .scopes([.read]), self.read)]
    }

    private func read(_ call: AuthorizedRequest) async throws -> Response {
        let parameters = try call.query("cursor", "latest", "limit", "types")
        let app = try await call.requireApp()
        let lastID = HTTPField.Name("Last-Event-ID").flatMap { call.request.headers[$0] }
        var query = try EventQuery(parameters, lastID: lastID, app: app.id)
        if query.isFromNow { query.after = try await self.store.latestEvent(of: app.id) }
        if let count = query.latestCount {
            query.after = try await self.store.cursor(of: app.id, beforeLast: count)
        }
        guard let format = EventFormat(accept: call.request.headers[.accept]) else {
            return try await self.page(query)
        }
        let share = try call.share(of: .feed)
        try await self.check(query)
        return self.stream(query, as: format, call, within: share)
    }

    private func page(_ query: EventQuery) async throws -> Response {
        let page = try await self.store.events(
            of: query.app,
            after: query.after,
            limit: query.limit,
            kinds: query.types
        )
        try await self.check(query, page)
        var body: [String: JSONValue] = [
            "events": .array(page.events.map(\.json)),
            "cursor": .string(page.next.description),
        ]
        if page.hasMore { body["nextCursor"] = .string(page.next.description) }
        let bytes = try JSONValue.object(body).json()
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    private func stream(
        _ query: EventQuery,
        as format: EventFormat,
        _ call: AuthorizedRequest,
        within share: CallShares.Share
    ) -> Response {
        let refusal = call.refusal
        let body = ResponseBody.stream { writer in
            defer { withExtendedLifetime(share) {} }
            try await self.feed.write(query, as: format, to: &writer) {
                // A key that was revoked, and an app that was deleted, end the stream; a store that fails for a moment
                // does not.
                guard await refusal() == nil else { return false }
                do {
                    return try await self.store.app(query.app) != nil
                } catch {
                    return true
                }
            }
        }
        var headers: HTTPFields = [.contentType: format.contentType, .cacheControl: "no-cache"]
        // Proxies that gather answers before they pass them on would keep the events back.
        if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Refuses a cursor that is not good, before a stream begins.
    private func check(_ query: EventQuery) async throws {
        guard query.after != nil else { return }
        try await self.check(
            query,
            try await self.store.events(of: query.app, after: query.after, limit: 1, kinds: nil)
        )
    }

    /// Rejects a cursor before pruned events, and one that the store has not assigned: its reader would receive nothing
    /// until the feed reaches it.
    private func check(_ query: EventQuery, _ page: EventPage) async throws {
        guard let after = query.after else { return }
        var rule = "a cursor from '\(page.oldest)' on, after which all events are stored"
        if after >= page.oldest {
            guard page.events.isEmpty, page.next <= after else { return }
            // Query this after the page was read, so that cursors assigned until then are not beyond it.
            let latest = try await self.store.latestEvent(of: query.app)
            guard after > latest else { return }
            rule += ", to '\(latest)', the last one that the store has given"
        }
        throw Problem(.cursorExpired, at: .query("cursor"), expected: rule, got: "'\(after)'")
    }
}

extension EventType {
    /// The types that a webhook may be there for: those of the feed, and the calls of jobs.
    static let forWebhooks = EventType.known + [.jobTriggered]

    /// Takes the name of a type that a caller wants: nothing would ever come of one that does not exist.
    ///
    /// - Throws: `InvalidValueError` for any other name.
    init(_ text: String, among known: [EventType]) throws(InvalidValueError) {
        let type = try EventType(validating: text)
        guard known.contains(type) else {
            let names = known.sorted().map(\.rawValue).joined(separator: ", ")
            throw InvalidValueError(field: "type", rule: "one of \(names)", value: "'\(text)'")
        }
        self = type
    }
}

/// How a stream of events is written.
enum EventFormat: Sendable {
    /// Newline-delimited JSON: one event a line, an empty line as a heartbeat.
    case lines

    /// Server-sent events (WHATWG HTML, section 9.2), as `EventSource` reads them.
    case serverSent

    /// The format that a request's `Accept` asks for; `nil` for a page.
    init?(accept: String?) {
        let types = (accept ?? "").split(separator: ",").map { type in
            type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        }
        if types.contains("text/event-stream") {
            self = .serverSent
        } else if types.contains("application/x-ndjson") {
            self = .lines
        } else {
            return nil
        }
    }

    var contentType: String {
        switch self {
        case .lines: "application/x-ndjson"
        case .serverSent: "text/event-stream"
        }
    }

    /// The start of a stream: a reader that loses the connection reconnects after two seconds.
    var opening: ByteBuffer {
        switch self {
        case .lines: ByteBuffer(string: "\n")
        case .serverSent: ByteBuffer(string: "retry: 2000\n\n")
        }
    }

    /// A heartbeat, which readers ignore.
    var heartbeat: ByteBuffer {
        switch self {
        case .lines: ByteBuffer(string: "\n")
        case .serverSent: ByteBuffer(string: ": heartbeat\n\n")
        }
    }

    func bytes(of events: [Event]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for event in events {
            let json = try event.json.json()
            switch self {
            case .lines:
                buffer.writeBytes(json)
                buffer.writeString("\n")
            case .serverSent:
                buffer.writeString("id: \(event.cursor)\nevent: \(event.kind)\ndata: ")
                buffer.writeBytes(json)
                buffer.writeString("\n\n")
            }
        }
        return buffer
    }
}
