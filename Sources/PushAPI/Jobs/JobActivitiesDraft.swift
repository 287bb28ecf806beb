// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The member `activities` of a job while it is read.
enum JobActivitiesDraft {
    static let members = ["attributesType", "state", "instant", "where", "change"]
    static let instantMembers = ["name", "from", "until"]

    /// What may change; instants are told, never planned.
    static let changeMembers = ActivityChangeDraft.members.filter { $0 != "instants" }

    /// Where an activity may stand that is changed.
    private enum State: String, CaseIterable {
        case pending
        case active
    }

    /// Reads the object; whatever is wrong is noted.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JobActivities? {
        var type: AttributesType?
        var state: State?
        var window: JobActivities.Window?
        var condition: JSONFragment?
        var change: ActivityChange?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "attributesType": type = try reader.value(path, AttributesType.init(validating:))
            case "state": state = try reader.oneOf(State.self, path)
            case "instant": window = try self.window(&reader, path)
            case "where": condition = try ActivityChangeDraft.fragment(&reader, path)
            default: change = try self.change(&reader, path)
            }
        }
        guard isObject, let type = reader.require(type, "attributesType", at: path),
            let change = reader.require(change, "change", at: path)
        else { return nil }
        return JobActivities(
            attributesType: type,
            state: state.map { $0 == .pending ? .pending : .active },
            window: window,
            condition: condition,
            change: change
        )
    }

    private static func window(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> JobActivities.Window? {
        var name: InstantName?
        var from: Int?
        var until: Int?
        let isObject = try reader.object(path, members: self.instantMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.value(path, InstantName.init(validating:))
            case "from": from = try reader.integer(path, in: JobActivities.offsets)
            default: until = try reader.integer(path, in: JobActivities.offsets)
            }
        }
        guard isObject, let name = reader.require(name, "name", at: path),
            let until = reader.require(until, "until", at: path)
        else { return nil }
        guard from ?? 0 < until else {
            let rule = "more than 'from', which is 0 unless told"
            reader.faults.add(path.member("until"), expected: rule, got: "\(until)")
            return nil
        }
        return JobActivities.Window(instant: name, from: from ?? 0, until: until)
    }

    private static func change(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> ActivityChange? {
        var draft = ActivityChangeDraft()
        let isObject = try reader.object(path, members: self.changeMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        }
        guard isObject else { return nil }
        let change = draft.finish(&reader, at: path)
        if !change.isVisible, !reader.faults.concern(path) {
            reader.faults.add(path, expected: "something that changes what phones show", got: "nothing")
        }
        return change
    }
}
