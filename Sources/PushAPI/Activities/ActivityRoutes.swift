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

/// The operations on Live Activities: `/v1/apps/{app}/activities`.
struct ActivityRoutes: APIRoutes {
    let store: any PushStore
    let configuration: PushAPIConfiguration
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/activities"
        let single = "\(list)/{activity}"
        let readers: [Scope] = [.activities, .read]
        return [
            APIRoute(.post, list, .scopes([.activities]), self.create),
            APIRoute(.get, list, .scopes(readers), self.list),
            APIRoute(.post, "\(list):change", .scopes([.activities]), self.changeMany),
            APIRoute(.get, single, .scopes(readers), self.show),
            APIRoute(.patch, single, .scopes([.activities]), self.change),
            APIRoute(.post, "\(single):invite", .scopes([.activities]), self.invite),
            APIRoute(.get, "\(single)/participants", .scopes(readers), self.participants),
            APIRoute(.get, "\(single)/timeline", .scopes(readers), self.timeline),
        ]
    }

    private func create(_ call: APICall) async throws -> Response {
        _ = try call.query()
        var request = try ActivityRequest(try await call.body(upTo: self.configuration.maximumNotificationBodyBytes))
        let app = try await self.store.requireApp(call)
        let now = self.now()
        let type = try await self.store.activityType(of: request.draft, app: app.id)
        try request.draft.hold(to: type)
        let channel = try await request.broadcast.channel(of: app.id, in: self.store)
        guard let activity = try request.draft.activity(request.id, of: app.id, on: channel, now: now) else {
            throw Problem(.invalidRequest, "The body could not be read.")
        }
        if request.phones != nil, activity.startPayload == nil { throw Problem(.notStartable) }
        let phones = try await self.installations(request.phones, app: app.id)
        do {
            let receipt = try await self.store.createActivity(activity, inviting: phones, now: now)
            let location = "/v1/apps/\(app.id)/activities/\(PercentEncoding.encode(activity.id.rawValue))"
            var body = ActivityReceiptBody(receipt, of: activity.id)
            body.warnings = DateWarnings(store: self.store, now: now).warnings(ofNew: activity, type: type)
            return try .json(
                body,
                status: .created,
                headers: [.location: location]
            )
        } catch let error as StoreError where error.code == .conflict {
            throw Problem(.activityExists, "The app has an activity of this name already.", cause: error)
        } catch let error as StoreError where error.code == .notFound && channel != nil {
            // It was there a moment ago.
            throw Problem.notReady
        }
    }

    private func list(_ call: APICall) async throws -> Response {
        let query = try call.query("after", "limit", "type", "over")
        let page = try PageRequest(query)
        let cursor = try page.cursor { Int64($0) }
        var filter = ActivityFilter()
        if let type = query["type"] {
            guard let known = AttributesType(rawValue: type) else {
                throw Problem(.invalidRequest, at: .query("type"), expected: AttributesType.rule, got: "another text")
            }
            filter.attributesType = known
        }
        if let over = query["over"] {
            guard let isOver = Bool(over) else {
                throw Problem(.invalidRequest, at: .query("over"), expected: "true or false", got: "another text")
            }
            filter.isOver = isOver
        }
        let app = try await self.store.requireApp(call)
        let found = try await self.store.activities(of: app.id, matching: filter, after: cursor, limit: page.limit)
        let bodies = try found.elements.map { try ActivityBody($0) }
        return try .json(ActivityListBody(activities: bodies, next: found.next.map { String($0) }))
    }

    private func show(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        guard let activity = try await self.store.activity(try call.activity(), of: app.id) else {
            throw Problem.unknownActivity
        }
        return try .json(try ActivityBody(activity))
    }

    private func change(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let request = try ActivityChangeRequest(try await call.body(upTo: self.configuration.maximumBodyBytes))
        let app = try await self.store.requireApp(call)
        let id = try call.activity()
        let order = ActivityOrder(activity: id, change: request.change)
        let now = self.now()
        let results = try await self.store.change([order], of: app.id, now: now)
        switch results.first {
        case .changed(let receipt):
            var body = ActivityReceiptBody(receipt, of: id)
            let warnings = DateWarnings(store: self.store, now: now)
            body.warnings = try await warnings.warnings(of: order.change, to: id, app: app.id)
            return try .json(body, status: .accepted)
        case .refused(let refusal): throw Problem(refusal)
        case .unknown, nil: throw Problem.unknownActivity
        }
    }

    private func changeMany(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let request = try ActivityOrdersRequest(body)
        let app = try await self.store.requireApp(call)
        let now = self.now()
        let results = try await self.store.change(request.orders, of: app.id, now: now)
        let warnings = try await DateWarnings(store: self.store, now: now).warnings(of: request.orders, app: app.id)
        return .json(bytes: ActivityResultsBody(request.orders, results, warnings).json, status: .accepted)
    }

    private func invite(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let request = try ActivityInvitation(body)
        let app = try await self.store.requireApp(call)
        let id = try call.activity()
        guard let activity = try await self.store.activity(id, of: app.id) else { throw Problem.unknownActivity }
        if activity.lifecycle.state.isOver { throw Problem(.over) }
        if activity.startPayload == nil { throw Problem(.notStartable) }
        let phones = try await self.installations(request.phones, app: app.id)
        let receipt = try await self.store.invite(phones, to: id, of: app.id, now: self.now())
        guard let receipt else { throw Problem.unknownActivity }
        return try .json(ActivityReceiptBody(receipt, of: id), status: .accepted)
    }

    private func participants(_ call: APICall) async throws -> Response {
        let page = try PageRequest(try call.query("after", "limit"))
        let cursor = try page.cursor { Int64($0) }
        let (app, id, channel) = try await self.known(call)
        let found = try await self.store.participants(of: id, app: app, after: cursor, limit: page.limit)
        let bodies = found.elements.map { ParticipantBody($0, on: channel) }
        return try .json(ParticipantListBody(participants: bodies, next: found.next.map { String($0) }))
    }

    private func timeline(_ call: APICall) async throws -> Response {
        let page = try PageRequest(try call.query("after", "limit"))
        let cursor = try page.cursor { Int($0) }
        let (app, id, _) = try await self.known(call)
        let found = try await self.store.timeline(of: id, app: app, after: cursor, limit: page.limit)
        let bodies = found.elements.map(TimelineEntryBody.init)
        return try .json(TimelineBody(entries: bodies, next: found.next.map { String($0) }))
    }

    /// The activity in a call's path, which exists, and the channel to which it is bound.
    private func known(_ call: APICall) async throws -> (app: AppID, activity: ActivityID, channel: ActivityChannel?) {
        let app = try await self.store.requireApp(call)
        let id = try call.activity()
        guard let known = try await self.store.activity(id, of: app.id) else { throw Problem.unknownActivity }
        return (app.id, id, known.channel)
    }

    /// The phones that a request names; those of users by the devices that are registered for them.
    private func installations(_ selection: TargetSelection?, app: AppID) async throws -> [InstallationID] {
        switch selection {
        case nil, .tokens: return []
        case .devices(let devices): return devices
        case .users(let users):
            let found = try await self.store.installations(of: app, users: users)
            guard found.count <= ActivityLimit.participantsAtOnce else {
                let rule = "users with at most \(ActivityLimit.participantsAtOnce) devices together"
                throw Problem(
                    .tooManyTargets,
                    at: FieldPath.root.member("users"),
                    expected: rule,
                    got: "\(found.count) devices"
                )
            }
            return found
        }
    }
}

extension ActivityTypeStore {
    /// The registered type of an activity that is told of, which nobody need look for when there is no content.
    func activityType(of draft: ActivityDraft, app: AppID) async throws -> ActivityType? {
        guard let name = draft.attributesType, draft.hasContent else { return nil }
        return try await self.activityType(name, of: app)
    }
}

extension APICall {
    /// The activity in the path.
    func activity() throws(Problem) -> ActivityID {
        guard let id = self.parameter("activity").flatMap(ActivityID.init(rawValue:)) else { throw .unknownActivity }
        return id
    }
}
