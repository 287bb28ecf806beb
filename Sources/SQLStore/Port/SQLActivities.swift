// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
package import PushStore

/// The activities and campaigns of a database, within a transaction.
///
/// Their operations are written for each database. Operations that are written once call them through this protocol.
package protocol SQLActivities: ActivityTables {
    /// Adds a campaign with the notification that it sends.
    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws

    /// Completes the changes of activities. PostgreSQL commits the transaction.
    ///
    /// - Returns: further signals to send after the commit.
    func finish(now: Date) throws -> [StoreChange]
}

extension SQLTransaction {
    /// Executes the last part of a transaction, which changes activities or campaigns.
    ///
    /// PostgreSQL commits at its end, so no statement may follow.
    func finish<Value>(
        now: Date,
        changing body: (any SQLActivities, inout [StoreChange]) throws -> Value
    ) throws -> Value {
        let activities = self.connection.makeActivities()
        var changes: [StoreChange] = []
        let value = try body(activities, &changes)
        changes += try activities.finish(now: now)
        for change in changes { self.signal(change) }
        return value
    }
}
