// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel
import PushStore

/// Which part of an app's feed is asked for: `?after=<cursor>&limit=<n>&kinds=<kind>,<kind>`.
struct EventQuery: Sendable {
    /// The value that means the end of the feed: only new events.
    static let latest = "latest"

    let app: AppID

    /// Behind which event to begin; `nil` begins at the oldest that is kept.
    var after: EventCursor?

    /// Whether to begin at the end of the feed.
    let isFromNow: Bool

    let limit: Int
    let kinds: Set<EventType>?

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
                expected: "the 'id' of an event, the 'cursor' of an earlier response, or '\(Self.latest)'",
                got: "\(text.utf8.count) bytes of another form"
            )
        }
        self.after = cursor
    }

    private static func kinds(_ text: String?) throws(Problem) -> Set<EventType>? {
        guard let text else { return nil }
        var kinds: Set<EventType> = []
        var faults = ValidationErrors()
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            do {
                kinds.insert(try EventType(String(name), among: EventType.known))
            } catch {
                faults.add(error, at: .query("kinds"))
            }
        }
        if kinds.count > 64 { faults.add(.query("kinds"), expected: "at most 64 kinds", got: "\(kinds.count)") }
        try faults.check()
        return kinds
    }
}
