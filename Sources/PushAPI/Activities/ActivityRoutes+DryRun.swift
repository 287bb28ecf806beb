// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Hummingbird
import PushModel
import PushStore

/// The dry runs of requests.
extension ActivityRoutes {
    func estimate(_ order: ActivityUpdate, of app: App) async throws -> Response {
        let results = try await self.store.estimate([order], of: app.id, now: self.now())
        switch results.first {
        case .changed(let receipt):
            var body = ActivityUpdateResponse(receipt, of: order.activity)
            body.dryRun = true
            return try .json(body)
        case .refused(let refusal): throw Problem(refusal)
        case .unknown, nil: throw Problem.unknownActivity
        }
    }

    /// Estimates the start of a new activity.
    func estimate(
        _ request: CreateActivityRequest,
        of app: App,
        for call: AuthorizedRequest
    ) async throws -> Response {
        let prepared = try await self.prepare(request, of: app)
        let activity = prepared.activity
        guard try await self.store.activity(activity.id, of: app.id) == nil else {
            throw Problem(.activityExists, "The app has an activity of this name already.")
        }
        return try await self.estimate(
            activity,
            on: prepared.phones,
            prepared.rollout,
            warnings: prepared.warnings,
            now: prepared.now,
            for: call
        )
    }

    /// Estimates the start of an activity on more devices.
    func estimate(
        _ request: StartActivityRequest,
        to id: ActivityID,
        of app: App,
        for call: AuthorizedRequest
    ) async throws -> Response {
        let activity = try await self.startable(id, of: app)
        let phones = try await self.installations(request.phones, app: app.id)
        let now = self.now()
        let rollout = request.rollout.rollout(now: now)
        if rollout != nil { try await self.store.checkRoom(forRolloutOf: id, app: app.id) }
        return try await self.estimate(activity, on: phones, rollout, warnings: nil, now: now, for: call)
    }

    private func estimate(
        _ activity: Activity,
        on phones: [DeviceID],
        _ rollout: ActivityRollout?,
        warnings: [ActivityWarningResponse]?,
        now: Date,
        for call: AuthorizedRequest
    ) async throws -> Response {
        let receipt = try await self.store.estimateStart(of: activity, on: phones, now: now)
        var body = ActivityUpdateResponse(receipt, of: activity.id)
        body.dryRun = true
        body.warnings = warnings
        if let rollout {
            body.audience = try await call.estimating {
                try await self.store.count(of: rollout.audience, app: activity.app, through: nil)
            }
        }
        return try .json(body)
    }
}

extension AuthorizedRequest {
    /// Whether the request is a dry run, which changes nothing.
    ///
    /// - Throws: ``Problem`` `.invalidRequest`.
    func isDryRun(_ others: String...) throws(Problem) -> Bool {
        switch try self.query(others + ["dryRun"])["dryRun"] {
        case nil, "false": return false
        case "true": return true
        default:
            throw Problem(.invalidRequest, at: .query("dryRun"), expected: "'true' or 'false'", got: "another text")
        }
    }
}
