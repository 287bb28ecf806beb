// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// The member `start` of a request to create a campaign while it is read.
enum CampaignStartDraft {
    static let members = ["now", "at", "local"]
    static let localMembers = ["time", "fallbackZone", "sendPassed"]

    /// Reads the object; whatever is wrong is noted.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> CampaignStart? {
        var names: [String] = []
        var start: CampaignStart?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            switch member {
            case "now":
                let isNow = try reader.boolean(path)
                if isNow == false { reader.faults.add(path, expected: "true", got: "false") }
                start = .now
            case "at": start = try reader.value(path, Timestamp.parse).map(CampaignStart.at)
            case "local": start = try self.local(&reader, path).map(CampaignStart.local)
            default: try reader.skip()
            }
        }
        guard isObject else { return nil }
        guard names.count == 1 else {
            let got = names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: " and ")
            reader.faults.add(path, expected: "exactly one of the members 'now', 'at', 'local'", got: got)
            return nil
        }
        return start
    }

    private static func local(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> LocalStart? {
        var time: LocalTime?
        var zone: String? = "UTC"
        var sendPassed = true
        let isObject = try reader.object(path, members: self.localMembers) {
            reader,
            name,
            path throws(JSONSyntaxError) in
            switch name {
            case "time": time = try reader.value(path, LocalTime.init(_:))
            case "fallbackZone": zone = try reader.value(path, self.zone)
            case "sendPassed": sendPassed = try reader.boolean(path) ?? true
            default: try reader.skip()
            }
        }
        guard isObject, let time = reader.require(time, "time", at: path), let zone else { return nil }
        return LocalStart(time: time, fallbackZone: zone, sendPassed: sendPassed)
    }

    /// Reads the name of a time zone.
    static func zone(_ text: String) throws(ValidationFailure) -> String {
        if text.utf8.count <= 64, TimeZone(identifier: text) != nil { return text }
        throw ValidationFailure(
            field: "fallbackZone",
            rule: "the IANA name of a time zone, such as 'Europe/Vienna'",
            value: "\(text.utf8.count) bytes that are none"
        )
    }
}
