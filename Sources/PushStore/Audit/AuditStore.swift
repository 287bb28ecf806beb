// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel

/// The log of changes to the configuration and to rights.
///
/// A store appends an entry in the transaction of each change that `docs/decisions/0029-audit-log.md` lists. The caller
/// of the change binds `AuditOrigin.current`.
public protocol AuditStore: Sendable {
    /// The entries that a filter selects, the latest first.
    ///
    /// The store reads at most 10,000 entries for one page, which may be empty although more follow.
    func auditEntries(
        matching filter: AuditFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<AuditEntry, Int64>

    /// Appends an entry for a change that consists of several transactions, such as the rotation of the master key.
    func recordAudit(_ action: AuditAction, of id: String, after: JSONValue?, origin: AuditOrigin) async throws

    /// Removes entries that are older than a time, the oldest first, in one transaction.
    ///
    /// `limit` is 1...10,000.
    func pruneAuditLog(before time: Date, limit: Int) async throws -> PrunedItems
}

extension AuditEntry {
    package init(stored row: StoredRow) throws {
        guard let action = AuditAction(try row.string("action")) else { throw StoreError.damaged("audit entry") }
        self.init(
            number: try row.int64("number"),
            origin: AuditOrigin(
                actor: try AuditActor(stored: row),
                address: try row.text("address"),
                time: try row.date("time")
            ),
            action: action,
            id: try row.string("resource"),
            app: try row.text("app").flatMap { AppID(rawValue: $0) },
            before: try row.openedText("state_before").map { try JSONValue(stored: $0) },
            after: try row.openedText("state_after").map { try JSONValue(stored: $0) }
        )
    }
}

extension AuditActor {
    fileprivate init(stored row: StoredRow) throws {
        let (id, name) = (try row.text("actor") ?? "", try row.text("actor_name") ?? "")
        switch Kind(rawValue: try row.string("actor_type")) {
        case .apiKey: self = .apiKey(APIKeyID(unchecked: id), name: name)
        case .consoleSession: self = .consoleSession(APIKeyID(unchecked: id), name: name)
        case .commandLine: self = .commandLine(user: id)
        case .server: self = .server
        case nil: throw StoreError.damaged("audit entry")
        }
    }
}

extension JSONValue {
    /// The longest state that is stored, in bytes.
    private static let maximumStoredState = 16 << 10

    fileprivate init(stored text: String) throws {
        do {
            try self.init(json: Array(text.utf8))
        } catch {
            throw StoreError.damaged("audit entry")
        }
    }

    /// The state of a resource as it is stored; a longer one is replaced by its length.
    package var storedState: String {
        get throws {
            let bytes = try self.json()
            guard bytes.count <= Self.maximumStoredState else { return #"{"omittedBytes":\#(bytes.count)}"# }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A value that is stored as JSON elsewhere.
    package init(encoding value: some Encodable) throws {
        try self.init(stored: StoredJSON.encode(value))
    }
}
