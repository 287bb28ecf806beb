// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on transitions: `/v1/apps/{app}/activities/{activity}/transitions`.
struct TransitionRoutes: APIRoutes {
    let store: any ActivityStore & AppStore
    let bodyLimit: Int
    let limits: PushBudget.Limits
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/activities/{activity}/transitions"
        let single = "\(list)/{transition}"
        return [
            APIRoute(.get, list, .scopes([.activities, .read]), self.list),
            APIRoute(.put, single, .scopes([.activities]), self.plan),
            APIRoute(.delete, single, .scopes([.activities]), self.cancel),
        ]
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let id = try call.activity()
        guard try await self.store.activity(id, of: app.id) != nil else { throw Problem.unknownActivity }
        let found = try await self.store.transitions(of: id, app: app.id)
        return try .json(TransitionListResponse(transitions: found.map(TransitionResponse.init)))
    }

    private func plan(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let key = try Self.key(call)
        let request = try TransitionRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        let plan = request.plan(key, within: self.limits)
        let id = try call.activity()
        if case .at? = plan.change.end {
            // Instants may move later; then the system dismisses the activity.
            let instants = try await self.store.activity(id, of: app.id)?.instants ?? [:]
            try DismissalValidator.check(plan, instants, at: .root)
        }
        do {
            let scheduled = try await self.store.plan([plan], for: id, of: app.id, now: self.now())
            guard let transition = scheduled?.first else { throw Problem.unknownActivity }
            return try .json(TransitionResponse(transition))
        } catch let refusal as ActivityError {
            throw Problem(refusal)
        }
    }

    private func cancel(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let key = try Self.key(call)
        let app = try await call.requireApp()
        let cancelled = try await self.store.cancelTransitions(
            [key],
            of: try call.activity(),
            app: app.id,
            now: self.now()
        )
        guard let cancelled else { throw Problem.unknownActivity }
        guard !cancelled.isEmpty else { throw Problem.unknownTransition }
        return Response(status: .noContent)
    }

    private static func key(_ call: AuthorizedRequest) throws(Problem) -> TransitionKey {
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
    static var unknownTransition: Problem {
        Problem(.transitionNotFound, "The activity has scheduled no transition of the name in the path.")
    }
}

/// Parses a transition.
struct TransitionParser: Sendable {
    static let members = ["at", "instant", "offsetSeconds", "misfire", "misfireGraceSeconds"] + Self.changeMembers

    /// The members of the change; instants are set immediately, not by a transition.
    private static let changeMembers = ActivityChangeParser.members.filter { $0 != "instants" }

    /// How far from an instant a transition may lie, in seconds: a week.
    private static let offsets = -604_800...604_800

    /// The policy for a missed transition.
    enum Misfire: String, CaseIterable {
        case coalesce
        case skip
        case runLate = "run_late"
    }

    private var at: Date?
    private var instant: InstantName?
    private var offsetSeconds: Int?
    private var policy: Misfire?
    private var limit: Int?
    private var draft = ActivityChangeParser()

    /// Parses the value of a member, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "at": self.at = try reader.value(path, Timestamp.parse)
        case "instant": self.instant = try reader.value(path, InstantName.init(validating:))
        case "offsetSeconds": self.offsetSeconds = try reader.integer(path, in: Self.offsets)
        case "misfire": self.policy = try reader.oneOf(Misfire.self, path)
        case "misfireGraceSeconds": self.limit = try reader.integer(path, in: ActivityChangeParser.seconds)
        default: try self.draft.read(member, &reader, path)
        }
    }

    /// Records errors about combinations of members.
    ///
    /// Returns `nil` if it has no time.
    func finish(_ reader: inout JSONReader, at path: FieldPath) -> TransitionRequest? {
        let change = self.draft.finish(&reader, at: path)
        if !change.isVisible, reader.faults.count == 0 {
            reader.faults.add(path, expected: "a member that changes the content of devices", got: "nothing")
        }
        let misfire = self.misfire(&reader, at: path)
        return self.time(&reader, at: path).map { TransitionRequest(time: $0, change: change, misfire: misfire) }
    }

    private func misfire(_ reader: inout JSONReader, at path: FieldPath) -> TransitionMisfirePolicy {
        if self.limit != nil, self.policy != .runLate {
            let member = path.member("misfireGraceSeconds")
            reader.faults.add(member, expected: "no such member unless 'misfire' is 'run_late'", got: "one")
        }
        switch self.policy {
        case nil, .coalesce: return .coalesce
        case .skip: return .skip
        case .runLate: return .runLate(within: self.limit ?? ActivityLimit.runningSeconds)
        }
    }

    private func time(_ reader: inout JSONReader, at path: FieldPath) -> TransitionTime? {
        guard (self.at == nil) != (self.instant == nil), self.at == nil || self.offsetSeconds == nil else {
            guard !reader.faults.concern(path.member("at")), !reader.faults.concern(path.member("instant")) else {
                return nil
            }
            let rule = "either 'at', or 'instant' with or without 'offsetSeconds'"
            reader.faults.add(path, expected: rule, got: self.at == nil ? "neither" : "both")
            return nil
        }
        return self.at.map { .at($0) } ?? self.instant.map { .relative(to: $0, seconds: self.offsetSeconds ?? 0) }
    }
}

/// A transition, as returned by the API.
struct TransitionResponse: Encodable {
    let id: String
    let state: String
    let at: Date?
    let instant: String?
    let offsetSeconds: Int?
    let misfire: String
    let misfireGraceSeconds: Int?
    let change: JSONValue?
    let dueAt: Date?
    let endedAt: Date?

    /// The maximum number of returned bytes of a change; a longer content state could not be sent to devices.
    private static let bytes = 8192

    init(_ transition: ActivityTransition) {
        self.id = transition.key.rawValue
        self.state = transition.state.rawValue
        self.change = transition.isReadable ? try? JSONValue(json: transition.change.told(upTo: Self.bytes)) : nil
        switch transition.time {
        case .at(let date): (self.at, self.instant, self.offsetSeconds) = (date, nil, nil)
        case .relative(let name, let seconds):
            (self.at, self.instant, self.offsetSeconds) = (nil, name.rawValue, seconds)
        }
        switch transition.misfire {
        case .coalesce: (self.misfire, self.misfireGraceSeconds) = ("coalesce", nil)
        case .skip: (self.misfire, self.misfireGraceSeconds) = ("skip", nil)
        case .runLate(let limit): (self.misfire, self.misfireGraceSeconds) = ("run_late", limit)
        }
        self.dueAt = transition.dueAt
        self.endedAt = transition.endedAt
    }
}

/// The transitions of an activity, as returned by the API.
struct TransitionListResponse: Encodable {
    let transitions: [TransitionResponse]
}
