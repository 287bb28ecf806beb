// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Names with dots in policies on bodies and in bodies: `a.b` is the same as `b` below `a`.
enum FilterPath {
    /// In how many parts a name is taken apart; one with more stays as it is, so that nobody can nest without bound.
    static let maximumParts = 16

    /// The parts of a name: one or more.
    static func parts(of name: String) -> [String] {
        let parts = name.split(separator: ".", maxSplits: self.maximumParts)
        return (2...self.maximumParts).contains(parts.count) ? parts.map(String.init) : [name]
    }

    /// The members of an object, those with dots in their names joined with those that stand below the same name.
    static func expanded(_ object: [String: JSONValue]) -> [String: JSONValue] {
        guard object.keys.contains(where: { $0.utf8.contains(UInt8(ascii: ".")) }) else { return object }
        var members: [String: JSONValue] = [:]
        for (name, value) in object {
            let parts = self.parts(of: name)
            let nested = parts.dropFirst().reversed().reduce(value) { .object([$1: $0]) }
            members[parts[0]] = members[parts[0]].map { self.joined($0, nested) } ?? nested
        }
        return members
    }

    /// Two values under one name: objects become one, anything else a list.
    private static func joined(_ left: JSONValue, _ right: JSONValue) -> JSONValue {
        guard case .object(let own) = left, case .object(let other) = right else { return .array([left, right]) }
        return .object(own.merging(other) { self.joined($0, $1) })
    }
}
