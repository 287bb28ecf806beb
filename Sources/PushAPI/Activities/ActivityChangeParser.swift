// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import JSONSchema
import PushModel
import PushStore

/// Parses a change: of one activity, of one among many, or of a transition.
struct ActivityChangeParser {
    static let members = [
        "contentState", "patch", "alert", "staleDate", "staleAfterSeconds", "relevanceScore", "priority", "budget",
        "end",
        "instants",
    ]

    static let endMembers = ["dismissal", "at", "afterSeconds"]

    /// The valid values of times in seconds from now.
    static let seconds = 0...ActivityLimit.runningSeconds + ActivityLimit.dismissalSeconds

    /// How many seconds behind its end an activity may leave the Lock Screen: by then the system takes it off.
    private static let dismissalSeconds = 0...ActivityLimit.dismissalSeconds

    private var change = ActivityChange()
    private var states: [String] = []
    private var staleDates: [String] = []

    /// Parses the value of a member, and records errors.
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
        case "alert": self.change.alert = try ActivityAlertParser.read(&reader, path)
        case "staleDate":
            self.staleDates.append(member)
            self.change.staleDate = try reader.value(path, Self.staleDate)
        case "staleAfterSeconds":
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

    /// Records errors about combinations of members.
    func finish(_ reader: inout JSONReader, at path: FieldPath = .root) -> ActivityChange {
        if self.states.count > 1 {
            reader.faults.add(path, expected: "one of the members 'contentState', 'patch'", got: "both")
        }
        if self.staleDates.count > 1 {
            reader.faults.add(path, expected: "one of the members 'staleDate', 'staleAfterSeconds'", got: "both")
        }
        return self.change
    }

    // MARK: Values

    /// Takes the very bytes of an object.
    static func fragment(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> RawJSONObject? {
        guard let bytes = try reader.rawObject(path) else { return nil }
        do {
            return try RawJSONObject(json: bytes)
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

    private static func staleDate(_ text: String) throws(InvalidValueError) -> ActivityChange.StaleDate {
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

/// The member `alert` of a change of an activity.
enum ActivityAlertParser {
    static let members = ["title", "body", "sound"]
    static let textMembers = ["key", "arguments"]

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> LiveActivityAlert? {
        var title: AlertText?
        var body: AlertText?
        var sound: String?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "title": title = try self.text(&reader, path)
            case "body": body = try self.text(&reader, path)
            default: sound = try reader.string(path, bytes: 1...256)
            }
        }
        guard isObject, let title = reader.require(title, "title", at: path) else { return nil }
        return reader.require(body, "body", at: path).map { LiveActivityAlert(title: title, body: $0, sound: sound) }
    }

    /// A text, or the key of one that the app has in each language.
    private static func text(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> AlertText? {
        let kind = try reader.withCursor { cursor throws(JSONSyntaxError) in try cursor.kind() }
        guard kind == .object else { return try reader.freeText(path).map(AlertText.plain) }
        var key: String?
        var arguments: [String] = []
        try reader.object(path, members: self.textMembers) { reader, member, path throws(JSONSyntaxError) in
            guard member == "arguments" else {
                key = try reader.string(path, bytes: 1...256)
                return
            }
            try reader.array(path) { reader, index throws(JSONSyntaxError) in
                if let argument = try reader.freeText(path.element(index)) { arguments.append(argument) }
            }
        }
        return reader.require(key, "key", at: path).map { .localized(key: $0, arguments: arguments) }
    }
}

/// Rejects dismissal dates after which devices have long removed the activity from the Lock Screen.
enum DismissalValidator {
    /// By how many seconds the caller's clock may be ahead.
    private static let slack = 60.0

    /// Makes sure that a change says no time that lies more than 4 hours behind the end of the activity.
    ///
    /// - Throws: ``Problem`` `.invalidRequest`.
    static func check(_ change: ActivityChange, carriedOutAt end: Date, at path: FieldPath) throws(Problem) {
        guard case .at(let date)? = change.end else { return }
        let latest = end.addingTimeInterval(Double(ActivityLimit.dismissalSeconds))
        guard date.timeIntervalSince(latest) > self.slack else { return }
        throw Problem(
            .invalidRequest,
            at: path.member("end").member("at"),
            expected:
                "a time at most 4 hours after the end, \(Timestamp.text(latest)) at the latest, when the system "
                + "removes the activity from the Lock Screen",
            got: Timestamp.text(date)
        )
    }

    /// Checks a transition; times relative to an instant without a value are skipped.
    static func check(
        _ plan: NewTransition,
        _ instants: [InstantName: Date],
        at path: FieldPath
    ) throws(Problem) {
        guard let end = plan.time.date(in: instants) else { return }
        try self.check(plan.change, carriedOutAt: end, at: path)
    }
}
