// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// What the feed of events tells of all that was accepted: the account of the server itself.
struct SoakFeed: Sendable {
    /// How many targets each notification has.
    private(set) var accepted: [String: Int] = [:]

    /// What all targets came to, of each notification.
    private(set) var settled: [String: Int] = [:]

    private(set) var delivered = 0

    /// How many were rejected or failed, by the cause.
    private(set) var others: [String: Int] = [:]

    /// What cannot be.
    private(set) var breaches: [String] = []

    /// Reads the feed of an app from its beginning.
    init(of app: AppID, in store: any PushStore) async throws {
        var cursor: EventCursor?
        while true {
            let kinds: Set<EventKind> = [.notificationAccepted, .notificationSettled]
            let page = try await store.events(of: app, after: cursor, limit: 1000, kinds: kinds)
            for event in page.events { self.take(event.kind, event.data) }
            guard page.hasMore else { return }
            cursor = page.next
        }
    }

    /// How many targets were accepted.
    var targets: Int { self.accepted.values.reduce(0, +) }

    private mutating func take(_ kind: EventKind, _ data: JSONValue) {
        guard case .string(let id) = data["notification"], case .integer(let targets) = data["targets"] else {
            return self.breaches.append("an event of the feed cannot be read: \(data)")
        }
        if kind == .notificationAccepted {
            guard self.accepted.updateValue(Int(targets), forKey: id) != nil else { return }
            return self.breaches.append("the feed tells twice that \(id) was accepted")
        }
        if self.settled.updateValue(Int(targets), forKey: id) != nil {
            self.breaches.append("the feed tells twice that \(id) is settled")
        }
        if case .integer(let count) = data["delivered"] { self.delivered += Int(count) }
        for kind in ["rejected", "failed"] {
            guard case .object(let causes) = data[kind] else { continue }
            for case (let cause, .integer(let count)) in causes {
                self.others["\(kind) \(cause)", default: 0] += Int(count)
            }
        }
    }
}
