// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
