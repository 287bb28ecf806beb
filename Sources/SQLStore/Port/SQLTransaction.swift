// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore

/// A transaction that changes something, with its signals and events.
package final class SQLTransaction: SQLExecutor {
    let connection: any SQLConnection

    /// Who makes the changes of the transaction; `nil` for the server.
    let origin: AuditOrigin?

    private var signals: [StoreChange] = []

    /// The events by the numbers of their apps.
    private var events: [Int64: [StoredEvent]] = [:]

    /// The notifications whose batches end.
    var ends: [NotificationID: NotificationCompletion] = [:]

    /// The kinds of batches that are stored.
    var kinds: Set<StoredKind> = []

    /// Leases the urgent batches that a taker of the store wants; `nil` if they wait for a claim.
    var handOver: TransactionHandoff?

    private(set) var waitsBriefly = false

    package var dialect: SQLDialect { self.connection.dialect }

    init(_ connection: any SQLConnection, origin: AuditOrigin? = nil) {
        self.connection = connection
        self.origin = origin
    }

    @discardableResult
    package func run(_ sql: SQL) throws -> any SQLResult { try self.connection.run(sql) }

    package func each(_ sql: SQL, _ body: (StoredRow) throws -> Void) throws { try self.connection.each(sql, body) }

    /// Sends a signal after the commit; one that repeats the last one is not sent.
    package func signal(_ change: StoreChange) {
        if self.signals.last != change { self.signals.append(change) }
    }

    /// Appends an event to the feed of its app, at the end of the transaction.
    package func append(_ event: NewEvent, app: Int64) {
        self.append(StoredEvent(event), app: app)
    }

    func append(_ event: StoredEvent, app: Int64) {
        self.events[app, default: []].append(event)
    }

    /// Lets PostgreSQL wait for a lock only briefly, because other calls wait for the end of the transaction.
    ///
    /// If a transaction such as `deleteApp` has locked rows of one call for minutes, this one fails at once with
    /// `.locked`. Then each of its calls runs alone with the full timeout.
    func waitBriefly() throws {
        self.waitsBriefly = true
        try self.lock(
            """
            SELECT set_config('apus.lock_timeout', current_setting('lock_timeout'), true),
                set_config('lock_timeout', '100', true)
            """
        )
    }

    /// Commits early, so that the results of the last statements arrive with the commit.
    ///
    /// No statement may follow.
    func commit() throws {
        _ = try self.finish()
        try self.connection.commit()
    }

    /// Completes the transaction except for its commit.
    ///
    /// - Returns: the signals to send after the commit.
    func finish() throws -> [StoreChange] {
        try self.countOff()
        guard !self.events.isEmpty else { return self.signals }
        // All transactions lock the feeds of several apps in the same order, and lock nothing afterwards.
        for (app, events) in self.events.sorted(by: { $0.key < $1.key }) {
            try self.append(events, app: app)
            // After the signals of the changes that the events report.
            for app in Set(events.map(\.app)) { self.signal(.eventsAppended(app)) }
        }
        self.events = [:]
        return self.signals
    }
}
