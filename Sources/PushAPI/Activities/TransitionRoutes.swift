// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The operations on what is planned: `/v1/apps/{app}/activities/{activity}/transitions`.
struct TransitionRoutes: APIRoutes {
    let store: any PushStore
    let bodyLimit: Int
    let limits: PushBudget.Limits
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/activities/{activity}/transitions"
        let single = "\(list)/{transition}"
        return [
            APIRoute(.get, list, .scopes([.activities, .read]), self.list),
            APIRoute(.put, single, .scopes([.activities]), self.plan),
            APIRoute(.delete, single, .scopes([.activities]), self.withdraw),
        ]
    }

    private func list(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        let id = try call.activity()
        guard try await self.store.activity(id, of: app.id) != nil else { throw Problem.unknownActivity }
        let found = try await self.store.transitions(of: id, app: app.id)
        return try .json(TransitionListBody(transitions: found.map(TransitionBody.init)))
    }

    private func plan(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let key = try Self.key(call)
        let request = try TransitionRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await self.store.requireApp(call)
        let plan = request.plan(key, within: self.limits)
        let id = try call.activity()
        if case .at? = plan.change.end {
            // Instants may move later; then the system takes it off by itself.
            let instants = try await self.store.activity(id, of: app.id)?.instants ?? [:]
            try DismissalRule.check(plan, instants, at: .root)
        }
        let planning = try await self.store.plan([plan], for: id, of: app.id, now: self.now())
        switch planning {
        case nil: throw Problem.unknownActivity
        case .refused(let refusal): throw Problem(refusal)
        case .planned(let transitions):
            guard let transition = transitions.first else { throw Problem.unknownTransition }
            return try .json(TransitionBody(transition))
        }
    }

    private func withdraw(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let key = try Self.key(call)
        let app = try await self.store.requireApp(call)
        let withdrawn = try await self.store.withdraw([key], of: try call.activity(), app: app.id, now: self.now())
        guard let withdrawn else { throw Problem.unknownActivity }
        guard !withdrawn.isEmpty else { throw Problem.unknownTransition }
        return Response(status: .noContent)
    }

    private static func key(_ call: APICall) throws(Problem) -> TransitionKey {
        if let key = call.parameter("transition").flatMap(TransitionKey.init(rawValue:)) { return key }
        throw Problem(
            .invalidRequest,
            at: .parameter("transition"),
            expected: TransitionKey.rule,
            got: "another text"
        )
    }
}

extension Problem {
    /// There is no planned transition of the name in the path.
    static var unknownTransition: Problem {
        Problem(.transitionNotFound, "The activity has planned no transition of the name in the path.")
    }
}
