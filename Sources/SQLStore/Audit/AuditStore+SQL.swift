// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore

extension AuditStore where Self: SQLBacked {
    public func auditEntries(
        matching filter: AuditFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<AuditEntry, Int64> {
        let end = cursor ?? .max
        return try await self.sql.read { reader in
            // The entries are read in the order of their numbers, however few of them match.
            let last = try reader.first(
                """
                SELECT number FROM audit_log WHERE number < \(end)
                ORDER BY number DESC LIMIT 1 OFFSET \(AuditLog.window)
                """
            )?.int64("number")
            let page = try reader.page(
                """
                SELECT * FROM audit_log WHERE number < \(end) AND number > \(last ?? 0) AND \(filter.condition)
                ORDER BY number DESC
                """,
                in: "audit_log",
                limit: limit,
                cursor: { try $0.int64("number") }
            ) { try AuditEntry(stored: $0) }
            guard page.next == nil, let last else { return page }
            return Page(elements: page.elements, next: last + 1)
        }
    }

    public func recordAudit(
        _ action: AuditAction,
        of id: String,
        after state: JSONValue?,
        origin: AuditOrigin
    ) async throws {
        try await self.sql.write { try $0.append(action, of: id, app: nil, before: nil, after: state, origin: origin) }
    }

    public func pruneAuditLog(before time: Date, limit: Int) async throws -> PrunedItems {
        let limit = min(max(1, limit), 10_000)
        let old: SQL = "SELECT number FROM audit_log WHERE time < \(time) ORDER BY time LIMIT "
        guard try await self.sql.finds("\(old) 1") else { return PrunedItems() }
        let count = try await self.sql.run(
            "DELETE FROM audit_log WHERE number IN (\(old) \(limit)\(lock: " FOR UPDATE SKIP LOCKED"))",
            in: .bulk
        )
        return PrunedItems(count: count, hasMore: count == limit)
    }
}

private enum AuditLog {
    /// The most entries that one page reads.
    static let window = 10_000
}

extension AuditFilter {
    fileprivate var condition: SQL {
        var conditions: [SQL] = ["TRUE"]
        if let app { conditions.append("app = \(app)") }
        if let actor { conditions.append("actor = \(actor)") }
        if let id { conditions.append("resource = \(id)") }
        if let from { conditions.append("time >= \(from)") }
        if let until { conditions.append("time < \(until)") }
        switch (self.resource, self.verb) {
        case (let resource?, let verb?): conditions.append("action = \(AuditAction(resource, verb).description)")
        // The character after the point ends the range.
        case (let resource?, nil):
            let (start, end) = (resource.rawValue + ".", resource.rawValue + "/")
            conditions.append("action > \(start) AND action < \(end)")
        case (nil, let verb?):
            let actions = AuditResource.allCases.map { AuditAction($0, verb).description }
            conditions.append("action \(in: actions)")
        case (nil, nil): break
        }
        return SQL(conditions, separator: " AND ")
    }
}

extension SQLTransaction {
    /// Records that a resource was created.
    func audit(created item: some Audited) throws { try self.audit(item, .created, before: nil, after: item) }

    /// Records that a resource was deleted.
    func audit(deleted item: some Audited) throws { try self.audit(item, .deleted, before: item, after: nil) }

    /// Records a change of a resource, unless it changed nothing that its users set.
    func audit<Item: Audited>(_ former: Item, to item: Item, as verb: AuditVerb = .updated) throws {
        guard try former.auditState != item.auditState else { return }
        try self.audit(item, verb, before: former, after: item)
    }

    /// Records that a topic was created or deleted for an app, or for none.
    func audit(_ verb: AuditVerb, _ topic: PushTopic, for app: AppID?) throws {
        // Optional, because the literal `nil` of a JSON value is null.
        let state: JSONValue? = .object(topic.auditState)
        try self.append(
            AuditAction(.topic, verb),
            of: topic.auditID,
            app: app,
            before: verb == .deleted ? state : nil,
            after: verb == .deleted ? nil : state,
            origin: self.origin
        )
    }

    /// Records a change of a device, without its profile.
    func audit(_ verb: AuditVerb, device: DeviceID, of app: AppID) throws {
        let action = AuditAction(.device, verb)
        try self.append(action, of: device.rawValue, app: app, before: nil, after: nil, origin: self.origin)
    }

    /// Records a change of the state of a campaign.
    func audit(_ verb: AuditVerb, _ campaign: StoredCampaign, from former: CampaignState) throws {
        try self.append(
            AuditAction(.campaign, verb),
            of: campaign.auditID,
            app: campaign.auditApp,
            before: ["state": .string(former.name)],
            after: ["state": .string(campaign.lifecycle.state.name)],
            origin: self.origin
        )
    }

    /// Records an action on a resource that does not change it.
    func audit(_ verb: AuditVerb, _ item: some Audited) throws {
        try self.audit(item, verb, before: nil, after: nil)
    }

    private func audit<Item: Audited>(_ item: Item, _ verb: AuditVerb, before: Item?, after: Item?) throws {
        try self.append(
            AuditAction(Item.auditResource, verb),
            of: item.auditID,
            app: item.auditApp,
            before: before.map { .object(try $0.auditState) },
            after: after.map { .object(try $0.auditState) },
            origin: self.origin
        )
    }
}

extension SQLExecutor {
    /// Appends an entry to the audit log; without an origin, the change is the server's.
    package func append(
        _ action: AuditAction,
        of id: String,
        app: AppID?,
        before: JSONValue?,
        after: JSONValue?,
        origin: AuditOrigin?
    ) throws {
        let origin = origin ?? AuditOrigin(actor: .server, time: Date())
        let actor = origin.actor
        try self.run(
            """
            INSERT INTO audit_log (time, actor_type, action, resource, app, actor, actor_name, address, state_before,
                state_after)
            VALUES (\(origin.time), \(actor.kind.rawValue), \(action.description), \(id), \(app), \(actor.id),
                \(actor.name), \(origin.address), \(SQLValue.contentText(before?.storedState)),
                \(SQLValue.contentText(after?.storedState)))
            """
        )
    }
}
