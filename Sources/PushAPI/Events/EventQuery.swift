// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel
import PushStore

/// Which part of an app's feed is asked for: `?cursor=<cursor>&limit=<n>&types=<type>,<type>`, or `?latest=<n>`.
struct EventQuery: Sendable {
    /// The value that means the end of the feed: only new events.
    static let latest = "latest"

    let app: AppID

    /// Behind which event to begin; `nil` begins at the oldest that is kept.
    var after: EventCursor?

    /// Whether to begin at the end of the feed.
    let isFromNow: Bool

    /// How many of the last events of the feed to consider; `nil` begins at ``after``.
    let latestCount: Int?

    let limit: Int
    let types: Set<EventType>?

    /// Reads a query.
    ///
    /// The header `Last-Event-ID`, which a reader sends when it reconnects, overrides `cursor`.
    /// - Throws: ``Problem`` `.invalidRequest`.
    init(_ query: [String: String], lastID: String?, app: AppID) throws(Problem) {
        self.app = app
        self.limit = try PageRequest(["limit": query["limit"]].compactMapValues(\.self)).limit
        self.types = try Self.types(query["types"])
        let lastID = lastID.flatMap { $0.isEmpty ? nil : $0 }
        let count = try query["latest"].map { text throws(Problem) in
            guard let count = Int(text), PageRequest.limits.contains(count), query["cursor"] == nil else {
                throw Problem(
                    .invalidRequest,
                    at: .query("latest"),
                    expected: "a whole number from 1 to 1000, without 'cursor'",
                    got: query["cursor"] == nil ? "\(text.utf8.count) characters with another value" : "both"
                )
            }
            return count
        }
        // A reader that reconnects has received the events before.
        self.latestCount = lastID == nil ? count : nil
        let text = lastID ?? query["cursor"]
        self.isFromNow = text == Self.latest
        guard let text, text != Self.latest else { return }
        guard let cursor = EventCursor(text) else {
            throw Problem(
                .invalidRequest,
                at: lastID == text ? FieldPath(description: "Last-Event-ID") : .query("cursor"),
                expected: "the 'id' of an event, the 'cursor' of an earlier response, or '\(Self.latest)'",
                got: "\(text.utf8.count) bytes of another form"
            )
        }
        self.after = cursor
    }

    private static func types(_ text: String?) throws(Problem) -> Set<EventType>? {
        guard let text else { return nil }
        var types: Set<EventType> = []
        var faults = ValidationErrors()
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            do {
                types.insert(try EventType(String(name), among: EventType.known))
            } catch {
                faults.add(error, at: .query("types"))
            }
        }
        if types.count > 64 { faults.add(.query("types"), expected: "at most 64 types", got: "\(types.count)") }
        try faults.check()
        return types
    }
}
