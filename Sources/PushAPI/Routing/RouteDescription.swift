// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
public import PushModel

/// A route as documents and tests look at it.
public struct RouteDescription: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP method in upper case.
    public let method: String

    /// The path with its parameters in braces.
    public let path: String

    /// The scopes of which a key needs one (`admin` always does); `nil` when no key is needed.
    public let scopes: [Scope]?

    init(_ route: APIRoute) {
        self.method = route.method.rawValue
        self.path = route.path
        self.scopes =
            switch route.access {
            case .anyone: nil
            case .scopes(let scopes): scopes
            }
    }

    /// Method and path.
    public var description: String { "\(self.method) \(self.path)" }
}
