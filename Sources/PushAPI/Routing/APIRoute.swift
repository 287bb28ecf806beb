// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
package import PushModel
import SNSProtocol

/// One operation of the API: its path, its permissions, and its handler.
struct APIRoute: Sendable {
    /// Who may use a route.
    enum Access: Hashable, Sendable {
        /// No key is required.
        case anyone

        /// Keys with at least one of these scopes, or with `admin`.
        case scopes([Scope])

        /// The same keys, on a route of no app.
        ///
        /// A key that is bound to an app may use the route too; the handler restricts it to items of that app.
        case scopesForOwnItems([Scope])

        /// The scopes, one of which a key must have; `nil` if no key is required.
        var scopes: [Scope]? {
            switch self {
            case .anyone: nil
            case .scopes(let scopes), .scopesForOwnItems(let scopes): scopes
            }
        }
    }

    let method: HTTPRequest.Method

    /// The path with its parameters, as the OpenAPI document writes it: `/v1/apps/{app}`.
    let path: String

    let access: Access
    let handler: @Sendable (AuthorizedRequest) async throws -> Response

    /// Whether the route belongs to one app, so that keys bound to that app may use it.
    let isOfApp: Bool

    /// See ``onEventLoop``.
    var runsOnEventLoop = false

    /// See ``performing(_:)``.
    private(set) var actions: [SNSAction]?

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        _ handler: @escaping @Sendable (AuthorizedRequest) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.handler = handler
        self.isOfApp = path.contains("/{app}")
    }

    /// The route corresponds to these actions of SNS, all of which the policy of a key must allow on the topic in the
    /// path, or on all resources if it has none.
    ///
    /// Keys with a policy may not use a route without actions. With an empty list, the handler checks the policy.
    func performing(_ actions: SNSAction...) -> APIRoute {
        var route = self
        route.actions = actions
        return route
    }

    /// Which apps a call concerns.
    ///
    /// - Throws: ``Problem`` `.appNotFound`.
    func reach(of call: AuthorizedRequest) throws(Problem) -> CallReach {
        if case .scopesForOwnItems = self.access { return .appOfKey }
        return .app(self.isOfApp ? try call.app() : nil)
    }

    /// Whether a change through the route may be in the audit log.
    ///
    /// Those that run on an event loop are the many small ones, such as registrations and sends.
    var isAudited: Bool { self.method != .get && !self.runsOnEventLoop }

    /// Whether a parameter of the path has a fixed ending, as in `{webhook}:test`.
    ///
    /// Such a route goes before those without.
    var hasFixedEnding: Bool { self.path.contains("}:") }

    /// Whether a path matches this route, regardless of the method.
    func matches(path: String) -> Bool {
        let own = self.path.split(separator: "/")
        let other = path.split(separator: "/")
        guard own.count == other.count else { return false }
        return zip(own, other).allSatisfy { template, segment in
            guard template.hasPrefix("{"), let end = template.firstIndex(of: "}") else { return template == segment }
            let suffix = template[template.index(after: end)...]
            return suffix.isEmpty || (segment.hasSuffix(suffix) && segment.count > suffix.count)
        }
    }
}

/// Which apps a call concerns, for the check of its key.
enum CallReach: Sendable {
    /// This app, or all apps for `nil`.
    case app(AppID?)

    /// The app to which the key is bound, or all apps if it is bound to none.
    case appOfKey

    /// The app that a call with this key concerns; `nil` for all apps.
    func appID(for key: APIKey) -> AppID? {
        switch self {
        case .app(let app): app
        case .appOfKey: key.app
        }
    }
}

/// A group of operations on one kind of thing.
protocol APIRoutes: Sendable {
    var routes: [APIRoute] { get }
}

/// A route as documents and tests look at it.
package struct RouteDescription: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP method in upper case.
    package let method: String

    /// The path with its parameters in braces.
    package let path: String

    /// The scopes, one of which a key must have (`admin` is always sufficient); `nil` if no key is required.
    package let scopes: [Scope]?

    init(_ route: APIRoute) {
        self.method = route.method.rawValue
        self.path = route.path
        self.scopes = route.access.scopes
    }

    package var description: String { "\(self.method) \(self.path)" }
}
