// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel

/// The stored form of a scheduled transition: a JSON object of few members, which is read thousands of times a second.
///
/// Times are milliseconds since 1970. A member that is absent has the default of a change or a plan.
package enum StoredTransition {
    /// Writes a plan, without instants.
    package static func encode(_ plan: NewTransition) throws -> String {
        var members: [String: JSONValue] = ["key": .string(plan.key.rawValue), "time": self.value(plan.time)]
        switch plan.change.contentState {
        case nil: break
        case .replaced(let state): members["state"] = .string(String(decoding: state.bytes, as: UTF8.self))
        case .patched(let patch): members["patch"] = .string(String(decoding: patch.bytes, as: UTF8.self))
        }
        members["alert"] = try plan.change.alert.map { .string(try StoredJSON.encode($0)) }
        members["stale"] = plan.change.staleDate.map(self.value)
        members["relevance"] = plan.change.relevanceScore.map { .double($0) }
        members["priority"] = .integer(Int64(plan.change.priority.rawValue))
        members["budget"] = plan.change.budget.map { .integer($0.stored) }
        members["end"] = plan.change.end.map(self.value)
        switch plan.misfire {
        case .coalesce: break
        case .skip: members["misfire"] = "skip"
        case .runLate(let limit): members["misfire"] = ["within": .integer(Int64(limit))]
        }
        return String(decoding: try JSONValue.object(members).json(), as: UTF8.self)
    }

    package static func decode(_ text: String) throws -> NewTransition {
        guard
            case .object(let members)? = try? JSONValue(json: Array(text.utf8)),
            let key = members["key"]?.text.flatMap(TransitionKey.init(rawValue:)),
            let time = members["time"].flatMap(self.time)
        else { throw StoreError.damaged("transition") }
        var change = ActivityChange()
        if let state = members["state"]?.text { change.contentState = .replaced(try RawJSONObject(stored: state.utf8)) }
        if let patch = members["patch"]?.text { change.contentState = .patched(try RawJSONObject(stored: patch.utf8)) }
        change.alert = try members["alert"]?.text.map {
            try StoredJSON.decode(LiveActivityAlert.self, $0, "transition")
        }
        change.staleDate = try self.read(members["stale"], self.staleDate)
        change.relevanceScore = members["relevance"]?.number
        if let priority = members["priority"]?.whole { change.priority = Priority(rawValue: priority) }
        change.budget = try members["budget"]?.whole.map { try PushBudget(stored: Int64($0)) }
        change.end = try self.read(members["end"], self.dismissal)
        let misfire = try self.read(members["misfire"], self.misfire) ?? .coalesce
        guard time.isWithinLimits, change.isWithinLimits else { throw StoreError.damaged("transition") }
        return NewTransition(key: key, time: time, change: change, misfire: misfire)
    }

    /// Reads a member; throws if it has an unknown value.
    private static func read<Value>(_ member: JSONValue?, _ body: (JSONValue) -> Value?) throws -> Value? {
        guard let member else { return nil }
        guard let value = body(member) else { throw StoreError.damaged("transition") }
        return value
    }

    private static func value(_ time: TransitionTime) -> JSONValue {
        switch time {
        case .at(let date): ["at": .integer(date.millisecondsSince1970)]
        case .relative(let name, let seconds): ["to": .string(name.rawValue), "after": .integer(Int64(seconds))]
        }
    }

    private static func time(_ value: JSONValue) -> TransitionTime? {
        if let name = value["to"]?.text.flatMap(InstantName.init(rawValue:)), let seconds = value["after"]?.whole {
            return .relative(to: name, seconds: seconds)
        }
        return value["at"]?.date.map { .at($0) }
    }

    private static func value(_ date: ActivityChange.StaleDate) -> JSONValue {
        switch date {
        case .never: "never"
        case .at(let date): ["at": .integer(date.millisecondsSince1970)]
        case .after(let seconds): ["after": .integer(Int64(seconds))]
        }
    }

    private static func staleDate(_ value: JSONValue) -> ActivityChange.StaleDate? {
        if value == "never" { return .never }
        return value["at"]?.date.map { .at($0) } ?? value["after"]?.whole.map { .after(seconds: $0) }
    }

    private static func value(_ dismissal: ActivityChange.Dismissal) -> JSONValue {
        switch dismissal {
        case .standard: "standard"
        case .immediate: "immediate"
        case .at(let date): ["at": .integer(date.millisecondsSince1970)]
        case .after(let seconds): ["after": .integer(Int64(seconds))]
        }
    }

    private static func dismissal(_ value: JSONValue) -> ActivityChange.Dismissal? {
        if value == "standard" { return .standard }
        if value == "immediate" { return .immediate }
        return value["at"]?.date.map { .at($0) } ?? value["after"]?.whole.map { .after(seconds: $0) }
    }

    private static func misfire(_ value: JSONValue) -> TransitionMisfirePolicy? {
        if value == "skip" { return .skip }
        return value["within"]?.whole.map { .runLate(within: $0) }
    }
}

extension JSONValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var whole: Int? { if case .integer(let number) = self { Int(number) } else { nil } }

    fileprivate var number: Double? {
        if case .double(let number) = self { number } else { self.whole.map(Double.init) }
    }

    fileprivate var date: Date? { self.whole.map { Date(millisecondsSince1970: Int64($0)) } }
}
