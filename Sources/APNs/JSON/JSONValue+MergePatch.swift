// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension JSONValue {
    /// The value after a JSON merge patch (RFC 7396): named members change, `null` removes one, what is no object replaces
    /// the whole.
    public func merging(patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONValue] = if case .object(let own) = self { own } else { [:] }
        for (name, change) in changes {
            // A literal `nil` would be the value `null`.
            if change == .null {
                members.removeValue(forKey: name)
            } else {
                members[name] = (members[name] ?? .null).merging(patch: change)
            }
        }
        return .object(members)
    }
}
