// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A message made ready for the filter policies of many subscriptions.
public struct FilterableMessage: Sendable {
    let attributes: FilterValues
    /// The body's values; `nil` when it is no JSON object, which no policy on the body matches.
    let body: FilterValues?

    /// A message.
    ///
    /// - Parameters:
    ///   - attributes: its attributes.
    ///   - body: its text; `nil` where no policy looks at it, which saves reading it.
    public init(attributes: [String: MessageAttribute], body: String?) {
        self.attributes = FilterValues(attributes)
        guard let body, case .object(let members)? = try? JSONValue(json: Array(body.utf8)) else {
            self.body = nil
            return
        }
        self.body = FilterValues(members)
    }
}
