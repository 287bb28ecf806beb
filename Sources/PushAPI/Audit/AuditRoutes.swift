// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The audit log: `/v1/audit-log`.
///
/// A key that is bound to an app lists only the changes of that app.
struct AuditRoutes: APIRoutes {
    let store: any AuditStore

    var routes: [APIRoute] {
        [APIRoute(.get, "/v1/audit-log", .scopesForOwnItems([.admin]), self.list)]
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("app", "actor", "action", "resource", "from", "until", "cursor", "limit")
        let page = try PageRequest(query)
        let cursor = try page.cursor { Int64($0) }
        var filter = AuditFilter()
        filter.app = try Self.app(query["app"], key: call.key)
        filter.actor = try Self.text(query["actor"], of: "actor")
        filter.id = try Self.text(query["resource"], of: "resource")
        filter.from = try Self.time(query["from"], of: "from")
        filter.until = try Self.time(query["until"], of: "until")
        if let action = query["action"] { try filter.select(action) }
        let entries = try await self.store.auditEntries(matching: filter, after: cursor, limit: page.limit)
        return try .json(
            AuditLogResponse(
                entries: entries.elements.map(AuditEntryResponse.init),
                nextCursor: entries.next.map { String($0) }
            )
        )
    }

    /// The app whose changes are listed; `nil` for all apps and for changes of no app.
    private static func app(_ text: String?, key: APIKey?) throws(Problem) -> AppID? {
        guard let text else { return key?.app }
        guard let app = AppID(rawValue: text) else {
            let found = "\(text.utf8.count) bytes of another form"
            throw Problem(.invalidRequest, at: .query("app"), expected: AppID.rule, got: found)
        }
        if let refusal = key?.refusal(to: .admin, app: app) { throw Problem(refusal, scopes: [.admin]) }
        return app
    }

    private static func text(_ value: String?, of name: String) throws(Problem) -> String? {
        guard let value else { return nil }
        guard (1...256).contains(value.utf8.count) else {
            let found = "\(value.utf8.count) bytes"
            throw Problem(.invalidRequest, at: .query(name), expected: "1 to 256 bytes", got: found)
        }
        return value
    }

    private static func time(_ value: String?, of name: String) throws(Problem) -> Date? {
        guard let value else { return nil }
        do {
            return try Timestamp.parse(value)
        } catch {
            throw Problem(.invalidRequest, at: .query(name), expected: error.rule, got: error.value)
        }
    }
}

extension AuditFilter {
    /// Selects an action such as `api_key.created`, or all actions on a kind of resource, such as `api_key`.
    fileprivate mutating func select(_ text: String) throws(Problem) {
        if let action = AuditAction(text) {
            (self.resource, self.verb) = (action.resource, action.verb)
        } else if let resource = AuditResource(rawValue: text) {
            self.resource = resource
        } else {
            let names = AuditResource.allCases.map(\.rawValue).joined(separator: ", ")
            let rule = "an action such as 'api_key.created', or one of \(names)"
            throw Problem(.invalidRequest, at: .query("action"), expected: rule, got: "'\(text.prefix(64))'")
        }
    }
}

/// A page of the audit log, as returned by the API.
struct AuditLogResponse: Encodable {
    let entries: [AuditEntryResponse]
    let nextCursor: String?
}

/// One change, as returned by the API.
struct AuditEntryResponse: Encodable {
    struct Actor: Encodable {
        let type: String
        let id: String?
        let name: String?
    }

    let number: Int64
    let time: Date
    let actor: Actor
    let address: String?
    let action: String
    let resource: String
    let app: String?
    let before: JSONValue?
    let after: JSONValue?

    init(_ entry: AuditEntry) {
        let actor = entry.origin.actor
        self.number = entry.number
        self.time = entry.origin.time
        self.actor = Actor(type: actor.kind.rawValue, id: actor.id, name: actor.name)
        self.address = entry.origin.address
        self.action = entry.action.description
        self.resource = entry.id
        self.app = entry.app?.rawValue
        self.before = entry.before
        self.after = entry.after
    }
}
