// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import Work

/// The operations on Live Activities: `/v1/apps/{app}/activities`.
struct ActivityRoutes: APIRoutes {
    typealias Store = ActivityStore & ActivityTypeStore & AppStore & AudienceStore & ChannelStore & DeviceStore
        & RolloutStore & SendRequestHandler.Store

    let store: any Store
    let signals: ChangeHub<NotificationID>
    let waiter: SettlementWaiter
    let desk: ChannelProvisioner
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/activities"
        let single = "\(list)/{activity}"
        let readers: [Scope] = [.activities, .read]
        return [
            APIRoute(.post, list, .scopes([.activities]), self.create),
            APIRoute(.get, list, .scopes(readers), self.list),
            APIRoute(.post, "\(list):batchUpdate", .scopes([.activities]), self.batchUpdate),
            APIRoute(.get, single, .scopes(readers), self.show),
            APIRoute(.patch, single, .scopes([.activities]), self.change).onEventLoop,
            APIRoute(.post, "\(single):start", .scopes([.activities]), self.start),
            APIRoute(.get, "\(single)/participants", .scopes(readers), self.participants),
            APIRoute(.get, "\(single)/timeline", .scopes(readers), self.timeline),
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        let isDry = try call.isDryRun("wait")
        let sending = self.sending(waits: try call.waits("dryRun"))
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let request = try CreateActivityRequest(body)
        if sending.waits, request.rollout.isThere { throw Problem.cannotWait }
        let app = try await call.requireApp()
        if isDry { return try await self.estimate(request, of: app, for: call) }
        do {
            return try await sending.once(call, body: body) { noting in
                try await self.create(request, of: app, noting: noting)
            }
        } catch let error as StoreError where error.code == .conflict {
            throw Problem(.activityExists, "The app has an activity of this name already.", cause: error)
        }
    }

    /// A validated new activity before it is stored, with the other values of its request.
    struct Preparation: Sendable {
        let activity: Activity
        let phones: [DeviceID]
        let rollout: ActivityRollout?
        let plans: [NewTransition]
        let warnings: [ActivityWarningResponse]?
        let now: Date
    }

    /// Validates a request, as far as possible before anything is stored.
    ///
    /// - Throws: ``Problem`` for an invalid request; `StoreError`.
    func prepare(_ request: CreateActivityRequest, of app: App) async throws -> Preparation {
        var request = request
        let now = self.now()
        let type = try await self.store.activityType(of: request.draft, app: app.id)
        try request.draft.hold(to: type)
        let channel = try await request.broadcast.channel(of: app.id, in: self.store)
        guard let activity = try request.draft.activity(request.id, of: app.id, on: channel, now: now) else {
            throw Problem(.invalidRequest, "The body could not be read.")
        }
        let rollout = request.rollout.rollout(now: now)
        let plans = request.transitions.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { $1.plan($0, within: self.configuration.activityLimits) }
        for plan in plans {
            let path = FieldPath.root.member("transitions").member(plan.key.rawValue)
            try DismissalValidator.check(plan, activity.instants, at: path)
        }
        if let channel { try await self.desk.check(channel, of: app.id) }
        if request.phones != nil || rollout != nil, activity.startPayload == nil { throw Problem(.notStartable) }
        return Preparation(
            activity: activity,
            phones: try await self.installations(request.phones, app: app.id),
            rollout: rollout,
            plans: plans,
            warnings: SwiftDateLinter(store: self.store, now: now).warnings(ofNew: activity, type: type),
            now: now
        )
    }

    private func create(
        _ request: CreateActivityRequest,
        of app: App,
        noting: SendRequestHandler.ActivityNoting
    ) async throws -> SendRequestHandler.ActivityWork {
        let prepared = try await self.prepare(request, of: app)
        let (activity, now) = (prepared.activity, prepared.now)
        let location = "/v1/apps/\(app.id)/activities/\(PercentEncoding.encode(activity.id.rawValue))"
        @Sendable func work(_ receipt: ActivityUpdateResult) throws -> SendRequestHandler.ActivityWork {
            var body = ActivityUpdateResponse(receipt, of: activity.id)
            body.warnings = prepared.warnings
            let answer = try IdempotencyRecord.Answer(body, status: .created, location: location)
            return SendRequestHandler.ActivityWork(answer: answer, notification: receipt.notification)
        }
        let note = noting(now: now, work)
        do {
            let receipt = try await self.store.createActivity(
                activity,
                startingOn: prepared.phones,
                rollingOut: prepared.rollout,
                planning: prepared.plans,
                naming: request.participants,
                now: now,
                noting: note
            )
            return try work(receipt)
        } catch let refusal as ActivityError {
            throw Problem(refusal)
        } catch let error as StoreError where error.code == .notFound && activity.channel != nil {
            // It was there a moment ago.
            throw Problem.notReady
        }
    }

    private func sending(waits: Bool) -> SendRequestHandler {
        SendRequestHandler(
            store: self.store,
            signals: self.signals,
            waiter: self.waiter,
            metrics: self.metrics,
            waits: waits
        )
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("cursor", "limit", "type", "ended")
        let page = try PageRequest(query)
        let cursor = try page.cursor { Int64($0) }
        var filter = ActivityFilter()
        if let type = query["type"] {
            guard let known = AttributesType(rawValue: type) else {
                throw Problem(.invalidRequest, at: .query("type"), expected: AttributesType.rule, got: "another text")
            }
            filter.attributesType = known
        }
        if let ended = query["ended"] {
            guard let isOver = Bool(ended) else {
                throw Problem(.invalidRequest, at: .query("ended"), expected: "true or false", got: "another text")
            }
            filter.isOver = isOver
        }
        let app = try await call.requireApp()
        let found = try await self.store.activities(of: app.id, matching: filter, after: cursor, limit: page.limit)
        let bodies = try found.elements.map { try ActivityResponse($0) }
        return try .json(ActivityListResponse(activities: bodies, nextCursor: found.next.map { String($0) }))
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        let include = try call.query("include")["include"]
        guard include == nil || include == "participantCounts" else {
            throw Problem(.invalidRequest, at: .query("include"), expected: "'participantCounts'", got: "another text")
        }
        let app = try await call.requireApp()
        guard let activity = try await self.store.activity(try call.activity(), of: app.id) else {
            throw Problem.unknownActivity
        }
        var body = try ActivityResponse(activity)
        if include != nil {
            body.participantCounts = try await self.store.participantCounts(of: activity.id, app: app.id)
                .map(ParticipantCountsResponse.init)
        }
        let rollouts = try await self.store.rollouts(of: activity.id, app: app.id)
        if !rollouts.isEmpty { body.rollouts = rollouts.map(RolloutResponse.init) }
        return try .json(body)
    }

    private func change(_ call: AuthorizedRequest) async throws -> Response {
        let isDry = try call.isDryRun("wait")
        let sending = self.sending(waits: try call.waits("dryRun"))
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let request = try UpdateActivityRequest(body)
        try DismissalValidator.check(request.change, carriedOutAt: self.now(), at: .root)
        let app = try await call.requireApp()
        let id = try call.activity()
        let order = ActivityUpdate(activity: id, change: request.change.within(self.configuration.activityLimits))
        if isDry { return try await self.estimate(order, of: app) }
        return try await sending.once(call, body: body) { noting in
            let now = self.now()
            let warnings = try await SwiftDateLinter(store: self.store, now: now)
                .warnings(of: order.change, to: id, app: app.id)
            @Sendable func work(_ results: [ActivityUpdateOutcome]) throws -> SendRequestHandler.ActivityWork? {
                guard case .changed(let receipt)? = results.first else { return nil }
                var body = ActivityUpdateResponse(receipt, of: id)
                body.warnings = warnings
                let answer = try IdempotencyRecord.Answer(body, status: .accepted)
                return SendRequestHandler.ActivityWork(answer: answer, notification: receipt.notification)
            }
            let results = try await self.store.change([order], of: app.id, now: now, noting: noting(now: now, work))
            if let work = try work(results) { return work }
            if case .refused(let refusal)? = results.first { throw Problem(refusal) }
            throw Problem.unknownActivity
        }
    }

    private func batchUpdate(_ call: AuthorizedRequest) async throws -> Response {
        let isDry = try call.isDryRun("wait")
        let sending = self.sending(waits: try call.waits("dryRun"))
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let told = try UpdateActivitiesRequest(body).orders
        for (place, order) in told.enumerated() where order.change.end != nil {
            let path = FieldPath.root.member("changes").element(place)
            try DismissalValidator.check(order.change, carriedOutAt: self.now(), at: path)
        }
        let orders = told.map { order in
            ActivityUpdate(activity: order.activity, change: order.change.within(self.configuration.activityLimits))
        }
        let app = try await call.requireApp()
        if isDry {
            let results = try await self.store.estimate(orders, of: app.id, now: self.now())
            return .json(bytes: ActivityUpdatesResponse(orders, results, [:], isDry: true).json, status: .ok)
        }
        return try await sending.once(call, body: body) { noting in
            let now = self.now()
            let warnings = try await SwiftDateLinter(store: self.store, now: now).warnings(of: orders, app: app.id)
            @Sendable func work(_ results: [ActivityUpdateOutcome]) -> SendRequestHandler.ActivityWork {
                let json = ActivityUpdatesResponse(orders, results, warnings).json
                let answer = IdempotencyRecord.Answer(status: HTTPResponse.Status.accepted.code, body: json)
                // One call makes one notification.
                let notification = results.lazy.compactMap(\.notification).first
                return SendRequestHandler.ActivityWork(answer: answer, notification: notification)
            }
            let note = noting(now: now, work)
            return work(try await self.store.change(orders, of: app.id, now: now, noting: note))
        }
    }

    private func start(_ call: AuthorizedRequest) async throws -> Response {
        let isDry = try call.isDryRun("wait")
        let sending = self.sending(waits: try call.waits("dryRun"))
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let request = try StartActivityRequest(body)
        if sending.waits, request.rollout.isThere { throw Problem.cannotWait }
        let app = try await call.requireApp()
        let id = try call.activity()
        if isDry { return try await self.estimate(request, to: id, of: app, for: call) }
        return try await sending.once(call, body: body) { noting in
            try await self.start(request, to: id, of: app, noting: noting)
        }
    }

    private func start(
        _ request: StartActivityRequest,
        to id: ActivityID,
        of app: App,
        noting: SendRequestHandler.ActivityNoting
    ) async throws -> SendRequestHandler.ActivityWork {
        _ = try await self.startable(id, of: app)
        let phones = try await self.installations(request.phones, app: app.id)
        let now = self.now()
        let rollout = request.rollout.rollout(now: now)
        if rollout != nil { try await self.store.checkRoom(forRolloutOf: id, app: app.id) }
        @Sendable func work(_ receipt: ActivityUpdateResult) throws -> SendRequestHandler.ActivityWork {
            let answer = try IdempotencyRecord.Answer(ActivityUpdateResponse(receipt, of: id), status: .accepted)
            return SendRequestHandler.ActivityWork(answer: answer, notification: receipt.notification)
        }
        let note = noting(now: now, work)
        let receipt = try await self.store.start(
            on: phones,
            rollingOut: rollout,
            activity: id,
            of: app.id,
            now: now,
            noting: note
        )
        guard let receipt else { throw Problem.unknownActivity }
        return try work(receipt)
    }

    private func participants(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { Int64($0) }
        let (app, id, channel) = try await self.known(call)
        let found = try await self.store.participants(of: id, app: app, after: cursor, limit: page.limit)
        let now = self.now()
        let bodies = found.elements.map { ParticipantResponse($0, on: channel, now: now) }
        return try .json(ParticipantListResponse(participants: bodies, nextCursor: found.next.map { String($0) }))
    }

    private func timeline(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { Int($0) }
        let app = try await call.requireApp().id
        let id = try call.activity()
        do {
            guard try await self.store.activity(id, of: app) != nil else { throw Problem.unknownActivity }
        } catch let error as StoreError where error.code == .corrupt {
            // The results of a corrupt activity are still returned.
        }
        let found = try await self.store.timeline(of: id, app: app, after: cursor, limit: page.limit)
        let bodies = found.elements.map(TimelineEntryResponse.init)
        return try .json(TimelineResponse(entries: bodies, nextCursor: found.next.map { String($0) }))
    }

    /// The activity in a call's path, which exists, and the channel to which it is bound.
    private func known(
        _ call: AuthorizedRequest
    ) async throws -> (app: AppID, activity: ActivityID, channel: ActivityChannel?) {
        let app = try await call.requireApp()
        let id = try call.activity()
        guard let known = try await self.store.activity(id, of: app.id) else { throw Problem.unknownActivity }
        return (app.id, id, known.channel)
    }

    /// Returns an activity that a push can start.
    ///
    /// - Throws: ``Problem`` if it does not exist, has ended, or lacks values that a start needs; `StoreError`.
    func startable(_ id: ActivityID, of app: App) async throws -> Activity {
        guard let activity = try await self.store.activity(id, of: app.id) else { throw Problem.unknownActivity }
        if activity.lifecycle.state.isOver { throw Problem(.over) }
        if activity.startPayload == nil { throw Problem(.notStartable) }
        return activity
    }

    /// Returns the devices of a selection; for users, their registered devices.
    func installations(_ selection: TargetSelection?, app: AppID) async throws -> [DeviceID] {
        switch selection {
        case nil, .tokens: return []
        case .devices(let devices): return devices
        case .users(let users):
            let limit = ActivityLimit.participantsAtOnce
            return try await self.store.devices(of: app, users: users, limit: limit).map(\.installation)
        }
    }
}

extension Problem {
    /// A rollout takes as long as its audience is large, and is not waited for.
    fileprivate static var cannotWait: Problem {
        Problem(
            .invalidRequest,
            at: .query("wait"),
            expected: "'false' together with the members 'topic' and 'audience'",
            got: "'true'"
        )
    }
}

extension AuthorizedRequest {
    /// The activity in the path.
    func activity() throws(Problem) -> ActivityID {
        guard let id = self.parameter("activity").flatMap(ActivityID.init(rawValue:)) else { throw .unknownActivity }
        return id
    }
}

extension ActivityUpdateOutcome {
    fileprivate var notification: NotificationID? {
        if case .changed(let receipt) = self { receipt.notification } else { nil }
    }
}

extension Problem {
    init(_ refusal: ActivityError) {
        let code: ProblemCode =
            switch refusal {
            case .over: .activityEnded
            case .noContentState: .activityStateUnknown
            case .tooLarge: .payloadTooLarge
            case .notStartable: .activityNotStartable
            case .tooMany: .activityLimitExceeded
            case .notFinite: .invalidRequest
            case .overBudget: .pushBudgetExceeded
            case .mismatch: .contentMismatch
            case .damaged: .storeCorrupt
            }
        let faults = if case .mismatch(let found) = refusal { found } else { [InvalidValueError]() }
        self.init(code, refusal.message, faults: faults)
    }

    static var unknownActivity: Problem {
        Problem(.activityNotFound, "The app has no activity of the name in the path.")
    }
}
