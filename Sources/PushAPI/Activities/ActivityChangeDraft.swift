// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is to change about an activity while it is read: of one activity, of one among many, or at a planned time.
struct ActivityChangeDraft {
    static let members = [
        "contentState", "patch", "alert", "staleDate", "staleAfter", "relevanceScore", "priority", "budget", "end",
        "instants",
    ]

    static let endMembers = ["dismissal", "at", "after"]

    /// How many seconds ahead something may be told.
    static let seconds = 0...ActivityLimit.runningSeconds + ActivityLimit.dismissalSeconds

    /// How many seconds behind its end an activity may leave the Lock Screen: by then the system takes it off.
    private static let dismissalSeconds = 0...ActivityLimit.dismissalSeconds

    private var change = ActivityChange()
    private var states: [String] = []
    private var staleDates: [String] = []

    /// Reads the value of one of the members; whatever is wrong is noted.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "contentState":
            self.states.append(member)
            self.change.contentState = try Self.fragment(&reader, path).map { .replaced($0) }
        case "patch":
            self.states.append(member)
            self.change.contentState = try Self.fragment(&reader, path).map { .patched($0) }
        case "alert": self.change.alert = try ActivityAlertDraft.read(&reader, path)
        case "staleDate":
            self.staleDates.append(member)
            self.change.staleDate = try reader.value(path, Self.staleDate)
        case "staleAfter":
            self.staleDates.append(member)
            self.change.staleDate = try reader.integer(path, in: Self.seconds).map { .after(seconds: $0) }
        case "relevanceScore": self.change.relevanceScore = try reader.double(path, in: -1e15...1e15)
        case "priority": self.change.priority = try Self.priority(&reader, path) ?? .immediate
        case "budget":
            if let policy = try reader.oneOf(PushBudget.Policy.self, path) {
                self.change.budget = PushBudget(policy: policy)
            }
        case "end": self.change.end = try Self.end(&reader, path)
        case "instants": self.change.instants = try Self.instants(&reader, path)
        default: try reader.skip()
        }
    }

    /// Notes what does not belong together.
    func finish(_ reader: inout JSONReader, at path: FieldPath = .root) -> ActivityChange {
        if self.states.count > 1 {
            reader.faults.add(path, expected: "one of the members 'contentState', 'patch'", got: "both")
        }
        if self.staleDates.count > 1 {
            reader.faults.add(path, expected: "one of the members 'staleDate', 'staleAfter'", got: "both")
        }
        return self.change
    }

    // MARK: Values

    /// Takes the very bytes of an object.
    static func fragment(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JSONFragment? {
        guard let bytes = try reader.rawObject(path) else { return nil }
        do {
            return try JSONFragment(json: bytes)
        } catch {
            reader.faults.add(error, at: path)
            return nil
        }
    }

    static func priority(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> Priority? {
        guard let number: Int = try reader.integer(path, in: 5...10) else { return nil }
        let priority = Priority(rawValue: number)
        guard priority != .immediate, priority != .powerConsiderate else { return priority }
        reader.faults.add(path, expected: "5 or 10", got: "\(number)")
        return nil
    }

    /// Reads instants; one that is `null` is to be forgotten.
    static func instants(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [InstantName: Date?] {
        var instants: [InstantName: Date?] = [:]
        try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            let kind = try reader.withCursor { cursor throws(JSONSyntaxError) in try cursor.kind() }
            guard let instant = InstantName(rawValue: name) else {
                reader.faults.add(path, expected: InstantName.rule, got: "\(name.utf8.count) bytes")
                return try reader.skip()
            }
            guard kind != .null else {
                instants[instant] = .some(nil)
                return try reader.skip()
            }
            if let date = try reader.value(path, Timestamp.parse) { instants[instant] = date }
        }
        return instants
    }

    private static func staleDate(_ text: String) throws(ValidationFailure) -> ActivityChange.StaleDate {
        text == "never" ? .never : .at(try Timestamp.parse(text))
    }

    private static func end(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> ActivityChange.Dismissal? {
        var dismissals: [ActivityChange.Dismissal] = []
        try reader.object(path, members: self.endMembers) { reader, member, path throws(JSONSyntaxError) in
            let dismissal: ActivityChange.Dismissal? =
                switch member {
                case "dismissal": try reader.oneOf(DismissalPolicy.self, path)?.dismissal
                case "at": try reader.value(path, Timestamp.parse).map { .at($0) }
                default: try reader.integer(path, in: self.dismissalSeconds).map { .after(seconds: $0) }
                }
            if let dismissal { dismissals.append(dismissal) }
        }
        if dismissals.count > 1 {
            let names = self.endMembers.map { "'\($0)'" }.joined(separator: ", ")
            reader.faults.add(path, expected: "at most one of the members \(names)", got: "\(dismissals.count)")
        }
        return dismissals.first ?? .standard
    }

    /// ActivityKit's policies without a time.
    enum DismissalPolicy: String, CaseIterable {
        case standard
        case immediate

        fileprivate var dismissal: ActivityChange.Dismissal { self == .standard ? .standard : .immediate }
    }
}

extension ActivityChange {
    /// The change with the limits of budgets that are configured; where nothing is said of budgets, it warns.
    func within(_ limits: PushBudget.Limits) -> ActivityChange {
        var change = self
        change.budget = PushBudget(policy: self.budget?.policy ?? .warn, limits: limits)
        return change
    }
}
