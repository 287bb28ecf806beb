// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that happened, as it stands in the feed.
public struct Event: Hashable, Sendable {
    /// Its place in the feed.
    public let cursor: EventCursor

    /// The app that it concerns.
    public let app: AppID

    /// When it happened.
    public let time: Date

    /// What it tells of.
    public let kind: EventKind

    /// What there is to tell, an object.
    public let data: JSONValue

    /// Takes an event's parts.
    ///
    /// - Parameters:
    ///   - cursor: its place in the feed.
    ///   - app: the app that it concerns.
    ///   - time: when it happened.
    ///   - kind: what it tells of.
    ///   - data: what there is to tell, an object.
    public init(cursor: EventCursor, app: AppID, time: Date, kind: EventKind, data: JSONValue) {
        self.cursor = cursor
        self.app = app
        self.time = time
        self.kind = kind
        self.data = data
    }

    /// The event as the API and webhooks write it: `{"app", "data", "id", "kind", "time"}`.
    ///
    /// The `id` is the cursor's text; it is unique within the app.
    public var json: JSONValue {
        [
            "id": .string(self.cursor.description),
            "app": .string(self.app.rawValue),
            "time": .string(EventTime.text(self.time)),
            "kind": .string(self.kind.rawValue),
            "data": self.data,
        ]
    }
}

/// Times within events: ISO 8601 in UTC with milliseconds, as the API writes them.
enum EventTime {
    static func text(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
