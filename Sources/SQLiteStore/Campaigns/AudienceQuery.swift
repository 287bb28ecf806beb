// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

/// Questions about the devices of an audience that can be reached.
///
/// The numbers of an app's devices lie side by side, so that one scan passes over no others. Only the devices of users
/// that are named are found by their index instead.
struct AudienceQuery {
    /// The values of the conditions, in the order in which they are bound.
    let arguments: StatementArguments

    private let devices: String

    init(_ audience: Audience, app number: Int64, in range: AudienceRange) {
        let numbers = DeviceNumber.range(ofApp: number)
        let places: StatementArguments = [
            max(numbers.lowerBound, range.after), min(numbers.upperBound, range.through ?? .max),
        ]
        var dialect = AudienceSQL()
        let users = audience.users.map { "app = \(dialect.bind(number)) AND user_id IN \(dialect.list($0)) AND" }
        let userValues = dialect.values.count
        let conditions = [dialect.condition(range.zones), audience.condition(in: &dialect)]
        let source = users.map { "INDEXED BY devices_by_user WHERE \($0)" } ?? "NOT INDEXED WHERE"
        self.devices = """
            devices \(source) number > ? AND number <= ? AND status < 2 AND \(conditions.joined(separator: " AND "))
            """
        let values = dialect.values
        self.arguments = Array(values[..<userValues]) + places + values[userValues...]
    }

    /// The number of the devices.
    var count: String { "SELECT count(*) FROM \(self.devices)" }

    /// The devices in the order of their numbers, with the columns of the depth; takes how many at most behind the others.
    func members(_ depth: MemberDetails.Depth) -> String {
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags"
            }
        return "SELECT number, environment, token\(details) FROM \(self.devices) ORDER BY number LIMIT ?"
    }

    /// The names of the devices in the order of their numbers; takes how many at most behind the others.
    var installations: String { "SELECT number, installation FROM \(self.devices) ORDER BY number LIMIT ?" }

    /// The time zones that the devices told, and how many of them each.
    var timeZones: String {
        "SELECT time_zone, count(*) AS count FROM \(self.devices) GROUP BY time_zone LIMIT 10000"
    }
}

extension Audience {
    /// Users of which all of its devices are; `nil` when it is not so simple.
    fileprivate var users: [String]? {
        switch self {
        case .users(let users): users.map(\.rawValue)
        case .and(let parts): parts.lazy.compactMap(\.users).first
        default: nil
        }
    }
}
