// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel
import PushStore

/// The feed: `/v1/apps/{app}/events`, as pages and as live streams.
struct EventRoutes: APIRoutes {
    let store: any PushStore
    let feed: EventFeed

    var routes: [APIRoute] {
        [APIRoute(.get, "/v1/apps/{app}/events", .scopes([.read]), self.read)]
    }

    private func read(_ call: APICall) async throws -> Response {
        let parameters = try call.query("after", "limit", "kinds")
        let app = try await self.store.requireApp(call)
        let lastID = HTTPField.Name("Last-Event-ID").flatMap { call.request.headers[$0] }
        var query = try EventQuery(parameters, lastID: lastID, app: app.id)
        if query.isFromNow { query.after = try await self.store.latestEvent(of: app.id) }
        guard let format = EventFormat(accept: call.request.headers[.accept]) else {
            return try await self.page(query)
        }
        try await self.check(query)
        return self.stream(query, as: format, call)
    }

    private func page(_ query: EventQuery) async throws -> Response {
        let page = try await self.store.events(
            of: query.app,
            after: query.after,
            limit: query.limit,
            kinds: query.kinds
        )
        try await self.check(query, page)
        var body: [String: JSONValue] = [
            "events": .array(page.events.map(\.json)),
            "cursor": .string(page.next.description),
        ]
        if page.hasMore { body["next"] = .string(page.next.description) }
        let bytes = try JSONValue.object(body).json()
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    private func stream(_ query: EventQuery, as format: EventFormat, _ call: APICall) -> Response {
        let refusal = call.refusal
        let body = ResponseBody { writer in
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

    /// Refuses a cursor behind which events are missing, and one that the store has not given: whoever has that would read
    /// nothing of what happens until the feed has come so far.
    private func check(_ query: EventQuery, _ page: EventPage) async throws {
        guard let after = query.after else { return }
        var rule = "a cursor from '\(page.oldest)' on, behind which every event is kept"
        if after >= page.oldest {
            guard page.events.isEmpty, page.next <= after else { return }
            // Asked for after the page was read, so that whatever was given by then is not beyond it.
            let latest = try await self.store.latestEvent(of: query.app)
            guard after > latest else { return }
            rule += ", to '\(latest)', the last one that the store has given"
        }
        throw Problem(.cursorExpired, at: .query("after"), expected: rule, got: "'\(after)'")
    }
}

/// Which part of an app's feed is asked for: `?after=<cursor>&limit=<n>&kinds=<kind>,<kind>`.
struct EventQuery: Sendable {
    /// The word for the end of the feed: what happens from now on.
    static let latest = "latest"

    let app: AppID

    /// Behind which event to begin; `nil` begins at the oldest that is kept.
    var after: EventCursor?

    /// Whether to begin at the end of the feed.
    let isFromNow: Bool

    let limit: Int
    let kinds: Set<EventKind>?

    /// Reads a query.
    ///
    /// The header `Last-Event-ID`, which a reader sends when it reconnects, overrides `after`.
    /// - Throws: ``Problem`` `.invalidRequest`.
    init(_ query: [String: String], lastID: String?, app: AppID) throws(Problem) {
        self.app = app
        self.limit = try PageRequest(["limit": query["limit"]].compactMapValues(\.self)).limit
        self.kinds = try Self.kinds(query["kinds"])
        let text = lastID.flatMap { $0.isEmpty ? nil : $0 } ?? query["after"]
        self.isFromNow = text == Self.latest
        guard let text, text != Self.latest else { return }
        guard let cursor = EventCursor(text) else {
            throw Problem(
                .invalidRequest,
                at: lastID == text ? FieldPath(description: "Last-Event-ID") : .query("after"),
                expected: "the 'id' of an event, the 'cursor' of an answer before, or '\(Self.latest)'",
                got: "\(text.utf8.count) bytes of another form"
            )
        }
        self.after = cursor
    }

    private static func kinds(_ text: String?) throws(Problem) -> Set<EventKind>? {
        guard let text else { return nil }
        var kinds: Set<EventKind> = []
        var faults = FaultList()
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            do {
                kinds.insert(try EventKind(String(name), among: EventKind.known))
            } catch {
                faults.add(error, at: .query("kinds"))
            }
        }
        if kinds.count > 64 { faults.add(.query("kinds"), expected: "at most 64 kinds", got: "\(kinds.count)") }
        try faults.check()
        return kinds
    }
}

extension EventKind {
    /// The kinds that a webhook may be there for: those of the feed, and the calls of jobs.
    static let forWebhooks = EventKind.known + [.jobCalled]

    /// Takes the name of a kind that a caller wants: nothing would ever come of one that does not exist.
    ///
    /// - Throws: `ValidationFailure` for any other name.
    init(_ text: String, among known: [EventKind]) throws(ValidationFailure) {
        let kind = try EventKind(validating: text)
        guard known.contains(kind) else {
            let names = known.sorted().map(\.rawValue).joined(separator: ", ")
            throw ValidationFailure(field: "kind", rule: "one of \(names)", value: "'\(text)'")
        }
        self = kind
    }
}
