// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel

/// The Live Activities: what phones show, which phones these are, and what is planned.
///
/// Only the newest content of an activity is kept, and a phone has at most one push in flight. The transaction that stores
/// a change sends it to every phone that waits for nothing. The others are sent it when the push for which they wait is
/// settled, or by the next ``sendOnActivities(now:)``. So no intermediate state is sent, and no push is reordered.
///
/// Each call that sends makes one notification, whose outcomes are found under its id. It appends the event of the
/// notification, and signals ``StoreChange/batchReady(_:)``.
public protocol ActivityStore: ActivityQueue {
    /// Keeps a token with which pushes start activities, in the place of an older one of the same phone and type.
    ///
    /// - Returns: whether it is the one that is used now; `false` for one that came later than a younger one.
    @discardableResult
    func keep(_ token: PushToStartToken) async throws -> Bool

    /// The tokens of at most 10,000 phones with which pushes start activities of a type.
    func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken]

    /// Stores the update token of a phone that shows an activity.
    ///
    /// The phone takes part from then on. It is sent the latest state unless it shows that, and the end of an activity that
    /// is over. A repetition changes nothing. An activity that does not exist is created from `draft`, unless that is `nil`.
    /// - Returns: what that came to; `nil` when there is no such activity.
    func receive(
        _ upload: ActivityTokenUpload,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityReceipt?

    /// Records that a phone does not show an activity any more. It is sent nothing until its app tells another token.
    ///
    /// - Returns: whether it is gone by that; not when it takes no part, was told of a younger token, or the activity is over.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func leave(_ departure: ActivityDeparture, from activity: ActivityID, of app: AppID, now: Date) async throws -> Bool

    /// Stores an activity, and starts it on phones by pushes.
    ///
    /// `installations` has at most 10,000 elements, and none for an activity that apps start. A `rollout` starts the
    /// activity on the devices of an audience; see ``RolloutStore``.
    /// - Returns: what was sent, and which phones have no token that could start it.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app, `.conflict` when there is an activity of that name or
    ///   the request was carried out before, `.invalid` when there are phones but the activity cannot be started by a push;
    ///   `ActivityRefusal` for a plan that cannot be carried out. Nothing was stored then.
    func createActivity(
        _ activity: Activity,
        inviting installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [TransitionPlan],
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt

    /// Starts an activity on more phones by pushes; phones that take part already are passed over.
    ///
    /// `installations` has at most 10,000 elements. A `rollout` starts the activity on the devices of an audience;
    /// see ``RolloutStore``.
    /// - Returns: what was sent, and which phones have no token that could start it; `nil` when there is no such activity.
    /// - Throws: ``StoreError`` `.invalid` when the activity cannot be started by a push, or is over, `.conflict` when the
    ///   request was carried out before.
    func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: ActivityID,
        of app: AppID,
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt?

    /// Changes activities, all in one transaction: updates and ends them, and moves their instants.
    ///
    /// Planned transitions move with the instants to which they are relative. Those of an activity that ends are skipped.
    /// `orders` has at most 10,000 elements. The orders of one activity are carried out in their order.
    /// - Returns: the result of each order, in their order.
    /// - Throws: ``StoreError``, `.conflict` when the request was carried out before.
    func change(
        _ orders: [ActivityOrder],
        of app: AppID,
        now: Date,
        noting note: AnswerNote<[ActivityResult]>?
    ) async throws -> [ActivityResult]

    /// Estimates at most 10,000 changes of activities, and their costs for the budgets of phones; changes nothing.
    ///
    /// - Returns: the result of each order; its receipt says how many phones would be sent to, now or later.
    func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult]

    /// Estimates the start of an activity, which need not be stored, on at most 10,000 phones; changes nothing.
    ///
    /// - Returns: how many phones would be sent a start, and which cannot be; those that take part already are neither.
    func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt

    func activity(_ id: ActivityID, of app: AppID) async throws -> Activity?

    /// An app's activities in the order in which they were made.
    func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64>

    /// The phones of an activity in the order in which they joined.
    func participants(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityParticipant, Int64>

    /// How many phones of an activity have come how far; `nil` when there is no such activity. All of them are looked at.
    func phones(of activity: ActivityID, app: AppID) async throws -> ActivityPhones?

    /// The last 1,000 entries of the timeline of an activity, the latest last, with the outcomes of its pushes so far.
    func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int>

    /// Removes activities that were over before a time, the oldest first, with all that belongs to them, in one transaction.
    ///
    /// `limit` is the approximate number of rows to remove, 100...10,000. An activity with more phones needs several calls.
    /// - Returns: how many were removed completely, and whether there may be more.
    @discardableResult
    func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities

    /// Plans changes of an activity, each in the place of one of its name; signals ``StoreChange/activitiesDue``.
    func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning?

    /// Withdraws planned transitions of an activity: all without `keys`.
    ///
    /// - Returns: the keys of those that were planned until now; `nil` when there is no such activity.
    func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]?

    /// The transitions of an activity by their names, with the last one of each name.
    func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition]
}

/// The due transitions of Live Activities, and the pushes that are left to send.
public protocol ActivityQueue: Sendable {
    /// When ``carryOutTransitions(limit:only:now:)`` has something to do next, which may be in the past; `nil` for never.
    func nextActivityTime() async throws -> Date?

    /// Carries out what is due: planned transitions, and the end of activities after their 8 hours.
    ///
    /// One transaction makes the batches of a transition and marks it as done. So a crash neither loses nor repeats it, and
    /// no lease has to expire first. A call makes one change of each activity, in the order of their times. Any number of
    /// processes may call it at the same time.
    /// `limit` is the maximum number of activities, 1...1000; `activity` is the number of the only one, if it is due.
    /// - Returns: what was done, and whether there may be more.
    func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport

    /// The first instant after `from`, at most `until`, at which `count` activities or more come due; `nil` without one.
    ///
    /// `count` is at least 1.
    func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date?

    /// Prepares what is planned for an instant that has not come, as far as that can be done beforehand.
    ///
    /// Nothing is stored. ``carryOutTransitions(limit:only:now:)`` executes what is left out, and what changes before its time.
    /// - Returns: what was prepared, in one part for each app; its cursor is `nil` when there was none to look at, so that one
    ///   that is kept finds what has been planned since.
    func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityChangeSet, Int64>

    /// How many prepared parts can be carried out at the same time and leave room for other transactions, 1 or more.
    var preparedAtOnce: Int { get }

    /// Carries out what was prepared, in one transaction, except for activities that have changed since.
    ///
    /// Does nothing before its time, or more than ``ActivityChangeSet/validSeconds`` after it. If several processes
    /// prepared the same, it happens once.
    func carryOut(_ prepared: ActivityChangeSet, now: Date) async throws -> TransitionReport

    /// Sends the latest state to some of the phones of an activity that has more than are sent to at once.
    ///
    /// Call it until it returns `false`, and again when ``StoreChange/activitiesDue`` is signalled. Any number of processes
    /// may do so at the same time.
    func sendOnActivities(now: Date) async throws -> Bool
}

/// The registered types of Live Activities, by which each transaction that changes an activity checks its content.
public protocol ActivityTypeStore: Sendable {
    /// Registers a type, in the place of one of that name, whose registration time it keeps; returns whether it is new.
    @discardableResult
    func keep(_ type: ActivityType) async throws -> Bool

    func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType?

    /// The types of an app by their names; one that does not exist has none.
    func activityTypes(of app: AppID) async throws -> [ActivityType]

    /// Removes a type, whose activities are not checked any more; returns whether there was one.
    @discardableResult
    func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool
}

extension ActivityType {
    /// Reads the columns of the table `activity_types`, and the app's id as `app_id`.
    package init(stored row: some StoredRow) throws {
        self.init(
            app: try row.identifier("app_id"),
            name: try row.identifier("name"),
            contentState: try row.bytes("content_state").map { try JSONSchema(stored: $0) },
            attributes: try row.bytes("attributes").map { try JSONSchema(stored: $0) },
            createdAt: try row.date("created_at"),
            changedAt: try row.date("changed_at")
        )
    }
}

extension JSONSchema {
    fileprivate init(stored bytes: [UInt8]) throws {
        self = try decodeStored("type of activities") { try JSONSchema(json: bytes) }
    }
}

/// What became of an order.
public enum ActivityResult: Hashable, Sendable {
    case changed(ActivityReceipt)

    /// It was refused, and nothing of it was done.
    case refused(ActivityRefusal)

    /// There is no such activity.
    case unknown
}

public struct ActivityFilter: Hashable, Sendable {
    /// Those of one type; `nil` for all.
    public var attributesType: AttributesType?

    /// Those that are over, or those that are not; `nil` for both.
    public var isOver: Bool?

    /// Those with an instant of that name in a span.
    public var instant: InstantSpan?

    public struct InstantSpan: Hashable, Sendable {
        public var name: InstantName

        /// The first time that counts.
        public var from: Date

        /// The first time that does not count any more.
        public var until: Date

        public init(name: InstantName, from: Date, until: Date) {
            self.name = name
            self.from = from
            self.until = until
        }
    }

    public init(attributesType: AttributesType? = nil, isOver: Bool? = nil, instant: InstantSpan? = nil) {
        self.attributesType = attributesType
        self.isOver = isOver
        self.instant = instant
    }
}
