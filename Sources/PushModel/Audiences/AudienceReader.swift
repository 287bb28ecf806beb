// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation

/// Everything that is wrong with an audience, each fault under the path of the value.
public struct AudienceErrors: Error, Hashable, CustomStringConvertible {
    /// The faults; at least one.
    public let failures: [InvalidValueError]

    public var description: String { self.failures.map(\.message).joined(separator: "; ") }
}

extension Audience {
    /// Reads an audience, such as `{"and":[{"topic":"news"},{"locale":"de"}]}`.
    ///
    /// `isPublication` also admits the audience of a publication, which callers never write. `path` names the value in
    /// faults.
    ///
    /// - Throws: ``AudienceErrors`` with every fault that was found.
    public init(
        json: JSONValue,
        at path: String = "audience",
        isPublication: Bool = false
    ) throws(AudienceErrors) {
        var reader = AudienceReader(isPublication: isPublication)
        let audience = reader.audience(json, path, depth: 1)
        guard let audience, reader.failures.isEmpty else { throw AudienceErrors(failures: reader.failures) }
        self = audience
    }
}

/// Parses an audience and collects the errors.
struct AudienceReader {
    static let names = [
        "all", "topic", "tag", "locale", "timeZone", "platform", "appVersion", "users", "environment", "seen",
        "registered", "and", "or", "not",
    ]

    private(set) var failures: [InvalidValueError] = []
    private let isPublication: Bool
    private var nodes = 0
    private var users = 0

    init(isPublication: Bool) {
        self.isPublication = isPublication
    }

    mutating func audience(_ json: JSONValue, _ path: String, depth: Int) -> Audience? {
        self.nodes += 1
        guard self.nodes <= Audience.maximumNodes else {
            // Report this once, and parse nothing further.
            if self.nodes == Audience.maximumNodes + 1 {
                self.fail(path, "at most \(Audience.maximumNodes) expressions in all", "more")
            }
            return nil
        }
        guard depth <= Audience.maximumDepth else {
            return self.fail(path, "expressions nested at most \(Audience.maximumDepth) deep", "a deeper one")
        }
        guard case .object(let all) = json else { return self.fail(path, "an object", json.kind) }
        let members = all.filter { $0.value != .null }
        guard members.count == 1, let (name, value) = members.first else {
            let rule = "exactly one of the members \(Self.names.map { "'\($0)'" }.joined(separator: ", "))"
            return self.fail(path, rule, "\(members.count) members")
        }
        return self.expression(name, value, "\(path).\(name.prefix(64))", depth: depth)
    }

    private mutating func expression(_ name: String, _ value: JSONValue, _ path: String, depth: Int) -> Audience? {
        switch name {
        case "all":
            guard value == .bool(true) else { return self.fail(path, "true", value.kind) }
            return .all
        case "and": return self.parts(value, path, depth).map(Audience.and)
        case "or": return self.parts(value, path, depth).map(Audience.or)
        case "not": return self.audience(value, path, depth: depth + 1).map(Audience.not)
        case "topic": return self.text(value, path, bytes: 1...128).map(Audience.topic)
        case "locale": return self.text(value, path, bytes: 1...64).map { .locale(LocaleRange($0)) }
        case "timeZone": return self.text(value, path, bytes: 1...64).map(Audience.timeZone)
        case "platform":
            return self.text(value, path, bytes: 1...32).map { .platform(DevicePlatform(rawValue: $0.lowercased())) }
        case "environment":
            guard let text = self.text(value, path, bytes: 1...32) else { return nil }
            guard let environment = APNsEnvironment(rawValue: text) else {
                return self.fail(path, "one of 'sandbox', 'production'", "another text")
            }
            return .environment(environment)
        case "tag": return self.tag(value, path).map(Audience.tag)
        case "appVersion": return self.versions(value, path).map(Audience.appVersion)
        case "users": return self.userIDs(value, path).map(Audience.users)
        case "seen": return self.span(value, path).map(Audience.seen)
        case "registered": return self.span(value, path).map(Audience.registered)
        case "subscribers" where self.isPublication: return self.subscribers(value, path).map(Audience.subscribers)
        case "container" where self.isPublication:
            return self.text(value, path, bytes: 0...512).map(Audience.container)
        default:
            let known = Self.names.map { "'\($0)'" }.joined(separator: ", ")
            return self.fail(path, "one of the members \(known)", "an unknown member")
        }
    }

    private mutating func parts(_ value: JSONValue, _ path: String, _ depth: Int) -> [Audience]? {
        guard case .array(let elements) = value else { return self.fail(path, "an array", value.kind) }
        guard !elements.isEmpty else { return self.fail(path, "at least one element", "an empty array") }
        var parts: [Audience] = []
        for (index, element) in elements.enumerated() where self.nodes <= Audience.maximumNodes {
            if let part = self.audience(element, "\(path)[\(index)]", depth: depth + 1) { parts.append(part) }
        }
        return parts
    }

    private mutating func tag(_ value: JSONValue, _ path: String) -> TagCondition? {
        guard let members = self.object(value, path, ["name", "equals", "contains"]) else { return nil }
        guard let name = members["name"] else { return self.fail("\(path).name", "a value", "nothing") }
        guard let name = self.text(name, "\(path).name", bytes: 1...64) else { return nil }
        switch (members["equals"], members["contains"]) {
        case (nil, nil): return TagCondition(name: name)
        case (let text?, nil):
            return self.text(text, "\(path).equals", bytes: 0...256).map {
                TagCondition(name: name, match: .equals($0))
            }
        case (nil, let text?):
            return self.text(text, "\(path).contains", bytes: 1...256).map {
                TagCondition(name: name, match: .contains($0))
            }
        case (_?, _?): return self.fail(path, "at most one of the members 'equals', 'contains'", "both")
        }
    }

    private mutating func versions(_ value: JSONValue, _ path: String) -> AppVersionRange? {
        guard let members = self.object(value, path, ["atLeast", "below"]) else { return nil }
        guard !members.isEmpty else {
            return self.fail(path, "at least one of the members 'atLeast', 'below'", "none")
        }
        var range = AppVersionRange()
        for (name, value) in members {
            guard let text = self.text(value, "\(path).\(name)", bytes: 1...64) else { continue }
            guard let version = AppVersion(text) else {
                self.fail("\(path).\(name)", "a version that begins with a number", "\(text.utf8.count) bytes")
                continue
            }
            if name == "atLeast" { range.atLeast = version } else { range.below = version }
        }
        return range
    }

    private mutating func userIDs(_ value: JSONValue, _ path: String) -> [UserID]? {
        guard case .array(let elements) = value else { return self.fail(path, "an array", value.kind) }
        guard !elements.isEmpty else { return self.fail(path, "at least one element", "an empty array") }
        self.users += elements.count
        guard self.users <= Audience.maximumUsers else {
            return self.fail(path, "at most \(Audience.maximumUsers) users in all", "\(self.users)")
        }
        var users: [UserID] = []
        for (index, element) in elements.enumerated() {
            let place = "\(path)[\(index)]"
            guard case .string(let text) = element else {
                self.fail(place, "a string", element.kind)
                continue
            }
            if let user = UserID(rawValue: text) {
                users.append(user)
            } else {
                self.fail(place, UserID.rule, "\(text.utf8.count) bytes")
            }
        }
        return users
    }

    private mutating func span(_ value: JSONValue, _ path: String) -> DateRange? {
        guard let members = self.object(value, path, ["after", "before"]) else { return nil }
        guard !members.isEmpty else {
            return self.fail(path, "at least one of the members 'after', 'before'", "none")
        }
        var span = DateRange()
        for (name, value) in members {
            guard let text = self.text(value, "\(path).\(name)", bytes: 1...64) else { continue }
            guard let time = ISO8601Timestamp.date(text) else {
                let rule = "a time in ISO 8601, such as '2026-02-03T04:05:06Z'"
                self.fail("\(path).\(name)", rule, "\(text.utf8.count) bytes of another form")
                continue
            }
            if name == "after" { span.after = time } else { span.before = time }
        }
        return span
    }

    private mutating func subscribers(_ value: JSONValue, _ path: String) -> TopicAudience? {
        guard case .integer(let topic) = value["topic"], case .array(let policies) = value["policies"] else {
            return self.fail(path, "a topic and policies", "something else")
        }
        let numbers = policies.compactMap { value in
            if case .integer(let number) = value { number } else { nil }
        }
        return TopicAudience(topic: TopicID(rawValue: topic), policies: numbers)
    }

    // MARK: Values

    /// The members of an object that are not `null`; unknown ones are faults.
    private mutating func object(_ value: JSONValue, _ path: String, _ names: [String]) -> [String: JSONValue]? {
        guard case .object(let members) = value else { return self.fail(path, "an object", value.kind) }
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        for name in members.keys.sorted() where !names.contains(name) {
            self.fail(
                "\(path).\(String(name.unicodeScalars.prefix(64)))",
                "one of the members \(known)",
                "an unknown member"
            )
        }
        return members.filter { names.contains($0.key) && $0.value != .null }
    }

    private mutating func text(_ value: JSONValue, _ path: String, bytes range: ClosedRange<Int>) -> String? {
        guard case .string(let text) = value else { return self.fail(path, "a string", value.kind) }
        guard range.contains(text.utf8.count) else {
            let rule = "\(range.lowerBound) to \(range.upperBound) bytes of UTF-8"
            return self.fail(path, rule, "\(text.utf8.count) bytes")
        }
        return text
    }

    @discardableResult
    private mutating func fail<Value>(_ path: String, _ rule: String, _ value: String) -> Value? {
        self.failures.append(InvalidValueError(field: path, rule: rule, value: value))
        return nil
    }

    private mutating func fail(_ path: String, _ rule: String, _ value: String) {
        self.failures.append(InvalidValueError(field: path, rule: rule, value: value))
    }
}

extension JSONValue {
    /// The kind of the value, as it is named to callers.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
