// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

/// A scheduled lesson, as the backend stores it.
package struct ScheduleRecord: Sendable, Encodable {
    /// The state of a lesson.
    package enum Status: String, Sendable, Encodable {
        /// No device shows it.
        case planned
        /// A device shows it as a Live Activity.
        case active
        /// It ends within ``endingWindow``.
        case ending
        case ended
    }

    /// A lesson is announced as ending this long before its end, in seconds.
    package static let endingWindow: TimeInterval = 16 * 60

    package var id: String
    package var childId: String
    package var childName: String
    package var parentId: String
    package var academyId: String
    package var academyName: String
    package var title: String
    package var startTime: Date
    package var endTime: Date
    package var timeZone: String
    package var status: Status
}

extension ScheduleRecord {
    private static let columns = """
        s.id, s.child_id, c.name, c.parent_id, s.academy_id, a.name, s.title, s.start_time, s.end_time, s.time_zone, s.status
        """
    private static let tables = """
        schedules s JOIN children c ON c.id = s.child_id JOIN academies a ON a.id = s.academy_id
        """

    /// Reads the columns of ``columns``; a status that this version does not know counts as ended.
    private init(_ row: borrowing Row) {
        self.id = row.text(0)
        self.childId = row.text(1)
        self.childName = row.text(2)
        self.parentId = row.text(3)
        self.academyId = row.text(4)
        self.academyName = row.text(5)
        self.title = row.text(6)
        self.startTime = Date(timeIntervalSince1970: Double(row.integer(7)))
        self.endTime = Date(timeIntervalSince1970: Double(row.integer(8)))
        self.timeZone = row.text(9)
        self.status = Status(rawValue: row.text(10)) ?? .ended
    }

    package static func find(_ id: String, in database: Database) throws -> ScheduleRecord? {
        let sql = "SELECT \(Self.columns) FROM \(Self.tables) WHERE s.id = ?"
        return try database.rows(sql, [.text(id)]) { ScheduleRecord($0) }.first
    }

    /// The lessons of a parent's children, or of all children, by their start.
    package static func list(parent: String?, in database: Database) throws -> [ScheduleRecord] {
        let sql = """
            SELECT \(Self.columns) FROM \(Self.tables) WHERE ?1 = '' OR c.parent_id = ?1
            ORDER BY s.start_time, s.id LIMIT 1000
            """
        return try database.rows(sql, [.text(parent ?? "")]) { ScheduleRecord($0) }
    }

    /// The lessons that end in a period, have a Live Activity token and are active.
    package static func endingSoon(_ period: ClosedRange<Date>, in database: Database) throws -> [ScheduleRecord] {
        let sql = """
            SELECT \(Self.columns) FROM \(Self.tables)
            WHERE s.end_time BETWEEN ? AND ? AND s.live_activity_token IS NOT NULL AND s.status = 'active'
            ORDER BY s.end_time, s.id LIMIT 1000
            """
        let bounds = [period.lowerBound, period.upperBound].map { Value.integer($0.seconds) }
        return try database.rows(sql, bounds) { ScheduleRecord($0) }
    }

    /// Stores the title, the times and the status of a lesson that exists.
    package func store(in database: Database) throws {
        let sql = "UPDATE schedules SET title = ?, start_time = ?, end_time = ?, time_zone = ?, status = ? WHERE id = ?"
        let values: [Value] = [
            .text(self.title), .integer(self.startTime.seconds), .integer(self.endTime.seconds), .text(self.timeZone),
            .text(self.status.rawValue), .text(self.id),
        ]
        try database.execute(sql, values)
    }

    /// Replaces the status, if it still is the one of this record.
    package func change(to status: Status, in database: Database) throws {
        let sql = "UPDATE schedules SET status = ? WHERE id = ? AND status = ?"
        try database.execute(sql, [.text(status.rawValue), .text(self.id), .text(self.status.rawValue)])
    }

    /// Stores the token of the lesson's Live Activity, which makes a planned lesson active.
    package static func register(
        token: String,
        activity: String,
        environment: String,
        for id: String,
        in database: Database
    ) throws {
        let sql = """
            UPDATE schedules SET live_activity_token = ?, activity_id = ?, apns_environment = ?,
                status = CASE status WHEN 'planned' THEN 'active' ELSE status END
            WHERE id = ?
            """
        try database.execute(sql, [.text(token), .text(activity), .text(environment), .text(id)])
    }
}

extension Date {
    /// Whole seconds since 1970; dates before 1970 or after the year 9999 become these limits.
    package var seconds: Int64 { Int64(min(max(0, self.timeIntervalSince1970), 253_402_300_799)) }
}
