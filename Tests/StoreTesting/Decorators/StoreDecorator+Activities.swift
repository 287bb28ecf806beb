// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    @discardableResult
    public func keep(_ token: PushToStartToken) async throws -> Bool {
        try await self.delegate { try await self.base.keep(token) }
    }

    public func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken] {
        try await self.delegate {
            try await self.base.pushToStartTokens(of: type, app: app, installations: installations)
        }
    }

    public func receive(
        _ upload: ActivityTokenUpload,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityReceipt? {
        try await self.delegate {
            try await self.base.receive(upload, for: activity, of: app, creating: draft, now: now)
        }
    }

    @discardableResult
    public func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool {
        try await self.delegate {
            try await self.base.leave(departure, from: activity, of: app, now: now)
        }
    }

    public func createActivity(
        _ activity: Activity,
        inviting installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [TransitionPlan],
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt {
        try await self.delegate {
            try await self.base.createActivity(
                activity,
                inviting: installations,
                rollingOut: rollout,
                planning: plans,
                now: now,
                noting: note
            )
        }
    }

    public func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: ActivityID,
        of app: AppID,
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt? {
        try await self.delegate {
            try await self.base.invite(
                installations,
                rollingOut: rollout,
                to: activity,
                of: app,
                now: now,
                noting: note
            )
        }
    }

    public func change(
        _ orders: [ActivityOrder],
        of app: AppID,
        now: Date,
        noting note: AnswerNote<[ActivityResult]>?
    ) async throws -> [ActivityResult] {
        try await self.delegate { try await self.base.change(orders, of: app, now: now, noting: note) }
    }

    public func activity(_ id: ActivityID, of app: AppID) async throws -> Activity? {
        try await self.delegate { try await self.base.activity(id, of: app) }
    }

    public func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64> {
        try await self.delegate {
            try await self.base.activities(of: app, matching: filter, after: cursor, limit: limit)
        }
    }

    public func participants(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityParticipant, Int64> {
        try await self.delegate {
            try await self.base.participants(of: activity, app: app, after: cursor, limit: limit)
        }
    }

    public func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int> {
        try await self.delegate { try await self.base.timeline(of: activity, app: app, after: cursor, limit: limit) }
    }

    @discardableResult
    public func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities {
        try await self.delegate { try await self.base.removeActivities(overBefore: time, limit: limit) }
    }

    public func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning? {
        try await self.delegate { try await self.base.plan(plans, for: activity, of: app, now: now) }
    }

    public func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]? {
        try await self.delegate { try await self.base.withdraw(keys, of: activity, app: app, now: now) }
    }

    public func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition] {
        try await self.delegate { try await self.base.transitions(of: activity, app: app) }
    }

    public func nextActivityTime() async throws -> Date? {
        try await self.delegate { try await self.base.nextActivityTime() }
    }

    public func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        try await self.delegate { try await self.base.carryOutTransitions(limit: limit, only: activity, now: now) }
    }

    public func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date? {
        try await self.delegate { try await self.base.crowdedActivityTime(after: from, until: until, count: count) }
    }

    public func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64> {
        try await self.delegate {
            try await self.base.prepareTransitions(dueAt: instant, after: cursor, limit: limit)
        }
    }

    public var preparedAtOnce: Int { self.base.preparedAtOnce }

    public func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport {
        try await self.delegate { try await self.base.carryOut(prepared, now: now) }
    }

    public func sendOnActivities(now: Date) async throws -> Bool {
        try await self.delegate { try await self.base.sendOnActivities(now: now) }
    }

    @discardableResult
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.delegate { try await self.base.keep(type) }
    }

    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.delegate { try await self.base.activityType(name, of: app) }
    }

    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.delegate { try await self.base.activityTypes(of: app) }
    }

    @discardableResult
    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.delegate { try await self.base.deleteActivityType(name, of: app) }
    }

    public func phones(of activity: ActivityID, app: AppID) async throws -> ActivityPhones? {
        try await self.delegate { try await self.base.phones(of: activity, app: app) }
    }

    public func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt {
        try await self.delegate { try await self.base.estimateStart(of: activity, on: installations, now: now) }
    }

    public func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult] {
        try await self.delegate { try await self.base.estimate(orders, of: app, now: now) }
    }
}
