// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore

/// The parameters of a request's query, in their order.
struct ControlQuery: Sendable {
    /// Names and values, decoded as forms write them.
    let members: [(name: String, value: String)]

    /// The query of a request.
    ///
    /// - Throws: ``ControlProblem`` for a name or a value whose encoding is broken.
    init(_ request: Request) throws(ControlProblem) {
        var members: [(name: String, value: String)] = []
        for part in (request.uri.query ?? "").split(separator: "&") {
            let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(String(pieces[0]), form: true),
                let value = PercentEncoding.decode(pieces.count > 1 ? String(pieces[1]) : "", form: true)
            else {
                let field = String(pieces[0].prefix(40))
                throw ControlProblem(
                    .invalidValue,
                    field: field,
                    rule: "percent-encoded UTF-8",
                    value: String(part.prefix(40))
                )
            }
            members.append((name, value))
        }
        self.members = members
    }

    /// The value of a parameter that is valid only once.
    subscript(name: String) -> String? { self.members.first { $0.name == name }?.value }

    /// The value of the parameter `limit`.
    func limit(upTo maximum: Int) throws(ControlProblem) -> Int? {
        guard let text = self["limit"] else { return nil }
        guard let number = Int(text), (1...maximum).contains(number) else {
            let rule = "an integer of 1...\(maximum)"
            throw ControlProblem(.invalidValue, field: "limit", rule: rule, value: String(text.prefix(20)))
        }
        return number
    }

    /// The valid query parameters of each route; other routes have none.
    static let parameters: [String: Set<String>] = [
        "GET /v1/clock": ["follower", "change"],
        "GET /v1/devices": ["limit", "after"],
        "GET /v1/devices/{id}/calls": ["bundleID"],
        "GET /v1/wall": ["limit"],
        "GET /v1/wall/stream": ["limit"],
        "DELETE /v1/devices/{id}/shown": ["identifier", "bundleID"],
        "DELETE /v1/connections": ["reason"],
        "DELETE /v1/connections/{id}": ["reason"],
        "GET /v1/deliveries": ["device", "bundleID", "since", "follow", "buffer"],
        "GET /v1/events": ["device", "bundleID", "kind", "since", "follow", "buffer"],
    ]

    /// The parameters that can be repeated.
    private static let repeatable: Set<String> = ["device", "bundleID", "kind"]

    /// Rejects unknown parameters: a misspelled parameter would change the meaning of the request.
    func check(for route: String) throws(ControlProblem) {
        let known = Self.parameters[route] ?? []
        var seen: Set<String> = []
        for (name, _) in self.members {
            let field = String(name.prefix(40))
            guard known.contains(name) else {
                let names = known.sorted().joined(separator: ", ")
                let rule = known.isEmpty ? "no parameter" : "one of the parameters \(names)"
                throw ControlProblem(.unknownField, field: field, rule: rule, value: "another one")
            }
            guard seen.insert(name).inserted || Self.repeatable.contains(name) else {
                throw ControlProblem(.invalidValue, field: field, rule: "once", value: "more than once")
            }
        }
    }
}

/// Path parameters of a request.
extension BasicRequestContext {
    /// The decoded value of a path parameter.
    func parameter(_ name: String) throws -> String {
        let text = try self.parameters.require(name)
        guard let decoded = PercentEncoding.decode(text) else {
            let rule = "percent-encoded UTF-8 (RFC 3986)"
            throw ControlProblem(.invalidValue, field: name, rule: rule, value: String(text.prefix(40)))
        }
        return decoded
    }

    /// A parameter of the path that is an app's bundle identifier, or a topic.
    func topic(_ name: String = "bundleID") throws -> String {
        let text = try self.parameter(name)
        try ControlAPI.check(text, field: name)
        return text
    }

    /// A parameter of the path that is one of Apple's identifiers.
    func identifier(_ name: String) throws -> String {
        let text = try self.parameter(name)
        guard ControlAPI.isIdentifier(text) else {
            throw ControlProblem(.invalidValue, field: name, rule: "10 characters", value: "\(text.utf8.count) bytes")
        }
        return text
    }
}

/// Which entries of a live feed a request asks for.
struct FeedQuery: Sendable {
    /// The most entries that wait for a reader before it misses the oldest.
    private static let maximumBuffer = 100_000

    /// The devices to include; empty for all.
    let devices: Set<String>
    /// The apps to include; empty for all.
    let bundleIDs: Set<String>
    /// Only these kinds; empty is all.
    let kinds: Set<String>
    /// Those that are kept and came after the entry of this number, before those that are still to come.
    let since: UInt64?
    /// Whether the response continues with new entries, or ends after the stored ones.
    let follows: Bool
    /// How many entries may wait for the reader before it misses the oldest.
    let bufferLimit: Int

    /// Parses the query of a request; `kinds` allows the parameter `kind`, `buffer` is the default limit.
    ///
    /// - Throws: ``ControlProblem`` for an unknown parameter or an invalid value.
    init(_ request: Request, kinds: Bool, buffer: Int) throws(ControlProblem) {
        var (devices, bundleIDs, words): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        var (since, follows, limit): (UInt64?, Bool, Int) = (nil, true, buffer)
        for (name, value) in try ControlQuery(request).members {
            let values = value.split(separator: ",").map(String.init)
            switch name {
            case "device": devices.formUnion(values)
            case "bundleID": bundleIDs.formUnion(values)
            case "kind" where kinds: words.formUnion(try Self.kinds(values))
            case "since": since = try Self.number("since", value, in: 0...UInt64(Int.max))
            case "follow": follows = try Self.flag(value)
            case "buffer": limit = Int(try Self.number("buffer", value, in: 1...UInt64(Self.maximumBuffer)))
            default:
                let field = String(name.prefix(40))
                throw ControlProblem(.unknownField, field: field, rule: "no such parameter", value: "one")
            }
        }
        if since == nil, let name = HTTPField.Name("last-event-id"), let text = request.headers[name] {
            since = try Self.number("Last-Event-ID", text, in: 0...UInt64(Int.max))
        }
        self.devices = devices
        self.bundleIDs = bundleIDs
        self.kinds = words
        self.since = since
        self.follows = follows
        self.bufferLimit = limit
    }

    /// Whether the filters let an entry through.
    func admits(_ entry: some FeedEntry) -> Bool {
        (self.devices.isEmpty || entry.place.map { self.devices.contains($0.rawValue) } ?? false)
            && (self.bundleIDs.isEmpty || entry.bundle.map { self.bundleIDs.contains($0) } ?? false)
            && (self.kinds.isEmpty || entry.word.map { self.kinds.contains($0) } ?? false)
    }

    /// Whether an entry came after the one that the request names.
    func isAfterStart(_ entry: some FeedEntry) -> Bool { entry.sequence > self.since ?? 0 }

    private static func kinds(_ words: [String]) throws(ControlProblem) -> [String] {
        let known = SimulatorEvent.Kind.allCases.map(\.rawValue)
        for word in words where !known.contains(word) {
            let rule = "one of " + known.joined(separator: ", ")
            throw ControlProblem(.invalidValue, field: "kind", rule: rule, value: String(word.prefix(20)))
        }
        return words
    }

    private static func number(
        _ field: String,
        _ text: String,
        in range: ClosedRange<UInt64>
    ) throws(ControlProblem) -> UInt64 {
        guard let number = UInt64(text), range.contains(number) else {
            let rule = "an integer of \(range.lowerBound)...\(range.upperBound)"
            throw ControlProblem(.invalidValue, field: field, rule: rule, value: String(text.prefix(20)))
        }
        return number
    }

    private static func flag(_ text: String) throws(ControlProblem) -> Bool {
        switch text {
        case "true": true
        case "false": false
        default:
            throw ControlProblem(.invalidValue, field: "follow", rule: "true or false", value: String(text.prefix(20)))
        }
    }
}
