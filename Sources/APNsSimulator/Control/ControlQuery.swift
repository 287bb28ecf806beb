// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

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
            guard let name = PercentEncoding.decode(form: pieces[0]),
                let value = PercentEncoding.decode(form: pieces.count > 1 ? pieces[1] : "")
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

    /// The value of a parameter that may stand in the query once.
    subscript(name: String) -> String? { self.members.first { $0.name == name }?.value }

    /// The parameters that may stand in a query, by the route; elsewhere there are none.
    static let parameters: [String: Set<String>] = [
        "GET /v1/clock": ["follower", "change"],
        "GET /v1/devices": ["limit", "after"],
        "GET /v1/devices/{id}/calls": ["bundleID"],
        "DELETE /v1/devices/{id}/shown": ["identifier", "bundleID"],
        "DELETE /v1/connections": ["reason"],
        "DELETE /v1/connections/{id}": ["reason"],
        "GET /v1/deliveries": ["device", "bundleID", "since", "follow", "buffer"],
        "GET /v1/events": ["device", "bundleID", "kind", "since", "follow", "buffer"],
    ]

    /// Those of them that may stand there several times.
    private static let repeatable: Set<String> = ["device", "bundleID", "kind"]

    /// Refuses what a route does not ask for: a misspelt parameter would change what the request does.
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

/// What stands in the path of a request.
extension BasicRequestContext {
    /// The text that a parameter of the path stands for.
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

/// Undoes the encodings of paths and queries.
enum PercentEncoding {
    /// The text that a segment of a path stands for (RFC 3986, section 2.1); a plus sign is one.
    ///
    /// `nil` for a broken escape, and for bytes that are not UTF-8.
    static func decode(_ text: some StringProtocol) -> String? { self.decode(text, plus: UInt8(ascii: "+")) }

    /// The text that a name or a value of a query stands for, as forms write it: a plus sign is a space.
    ///
    /// `nil` for a broken escape, and for bytes that are not UTF-8.
    static func decode(form text: some StringProtocol) -> String? { self.decode(text, plus: UInt8(ascii: " ")) }

    private static func decode(_ text: some StringProtocol, plus: UInt8) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(plus)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().map({ HexDigit.value($0) }), high < 16,
                    let low = rest.popFirst().map({ HexDigit.value($0) }), low < 16
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
