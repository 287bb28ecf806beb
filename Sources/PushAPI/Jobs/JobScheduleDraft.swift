// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The member `schedule` of a job while it is read.
enum JobScheduleDraft {
    static let members = ["cron", "timeZone", "clockChanges", "every", "from"]
    static let clockMembers = ["skipped", "repeated"]

    /// Reads the object; whatever is wrong is noted.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> Schedule? {
        var cron: String?
        var zone: String?
        var changes: ClockChangePolicy?
        var every: Int?
        var start: Date?
        var names: [String] = []
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            switch member {
            case "cron": cron = try reader.string(path)
            case "timeZone": zone = try reader.string(path)
            case "clockChanges": changes = try self.clockChanges(&reader, path)
            case "every": every = try reader.integer(path, in: 1...31_622_400)
            default: start = try reader.value(path, Timestamp.parse)
            }
        }
        guard isObject, !reader.faults.concern(path) else { return nil }
        let isInterval = names.contains("every")
        let strangers = names.filter { ($0 == "every" || $0 == "from") != isInterval }
        guard strangers.isEmpty, isInterval || names.contains("cron") else {
            let rule = "either 'cron' with or without 'timeZone' and 'clockChanges', or 'every' with or without 'from'"
            reader.faults.add(path, expected: rule, got: names.isEmpty ? "none of them" : names.joined(separator: ", "))
            return nil
        }
        do throws(ValidationFailure) {
            if let every {
                // Counted from 1970, so that putting it again is the same.
                return try .every(.seconds(every), from: start ?? Date(timeIntervalSince1970: 0))
            }
            return try .cron(cron ?? "", timeZone: zone ?? "UTC", clockChanges: changes)
        } catch {
            // Faults of an expression name the field within it: `cron.hour`.
            let place = FieldPath(description: "\(path.description).\(error.field)")
            reader.faults.add(error, at: place)
            return nil
        }
    }

    private static func clockChanges(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> ClockChangePolicy? {
        var skipped: ClockChangePolicy.Skipped?
        var repeated: ClockChangePolicy.Repeated?
        let isObject = try reader.object(path, members: self.clockMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            if member == "skipped" {
                skipped = try reader.oneOf(ClockChangePolicy.Skipped.self, path)
            } else {
                repeated = try reader.oneOf(ClockChangePolicy.Repeated.self, path)
            }
        }
        guard isObject, let skipped = reader.require(skipped, "skipped", at: path) else { return nil }
        return reader.require(repeated, "repeated", at: path).map { ClockChangePolicy(skipped: skipped, repeated: $0) }
    }
}
