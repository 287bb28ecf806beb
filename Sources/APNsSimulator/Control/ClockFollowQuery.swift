// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A process that goes by the simulated time, and waits for the next change of it.
struct ClockFollowQuery: Sendable {
    /// How long the name of a follower is at most, in characters.
    private static let maximumName = 100

    /// The name that it gives itself.
    let follower: String

    /// The change that it goes by already.
    let change: Int

    /// Parses the follower from the query of a request; `nil` for a request that only reads the time.
    ///
    /// - Throws: ``ControlProblem`` for an invalid name, a change that is not a number, and for one without the other.
    init?(_ request: Request) throws(ControlProblem) {
        let query = try ControlQuery(request)
        guard query["follower"] != nil || query["change"] != nil else { return nil }
        let follower = try Self.value("follower", in: query)
        guard (1...Self.maximumName).contains(follower.count) else {
            let rule = "a name of 1...\(Self.maximumName) characters"
            throw ControlProblem(.invalidValue, field: "follower", rule: rule, value: String(follower.prefix(20)))
        }
        let text = try Self.value("change", in: query)
        guard let change = Int(text), change >= 0 else {
            let rule = "the `change` of a previous response"
            throw ControlProblem(.invalidValue, field: "change", rule: rule, value: String(text.prefix(20)))
        }
        self.follower = follower
        self.change = change
    }

    private static func value(_ name: String, in query: ControlQuery) throws(ControlProblem) -> String {
        guard let value = query[name] else {
            throw ControlProblem(.missingField, field: name, rule: "to be present", value: "nothing")
        }
        return value
    }
}
