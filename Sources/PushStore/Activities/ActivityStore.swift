// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel

/// The Live Activities: what phones show, which phones these are, and what is planned.
///
/// Only the newest content of an activity is kept, and a phone has one push on its way to it at a time: a change is sent in
/// the transaction that stores it to every phone that waits for nothing, and to the others by whatever settles what they
/// wait for, or else by the next call of ``sendOnActivities(now:)``. So what is overtaken is never sent, and nothing is sent out of order. `ActivityLifecycle`,
/// `ActivityParticipant` and `TransitionRound` have the rules.
///
/// Each call that sends makes one notification of what it sends, with batches as any other: it is accepted by an event, and
/// its outcomes are found under its id. Signals ``StoreChange/batchReady(_:)``.
public protocol ActivityStore: ActivityQueue {
    // MARK: Tokens

    /// Keeps a token with which pushes start activities, in the place of an older one of the same phone and type.
    ///
    /// - Returns: whether it is the one that is used now; `false` for one that came later than a younger one.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func keep(_ token: PushToStartToken) async throws -> Bool

    /// The tokens with which pushes start activities of a type.
    ///
    /// `installations` has at most 10,000 elements.
    /// - Returns: the tokens of those that have one.
    func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken]

    /// An app has told the update token of a phone that shows an activity.
    ///
    /// The phone takes part from then on; it is sent what is newest unless it shows that, and the end of an activity that is
    /// over. Telling it again changes nothing.
    /// If the activity does not exist, the store creates it from `draft`, unless that is `nil`.
    /// - Returns: what that came to; `nil` when there is no such activity.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    func receive(
        _ upload: ActivityTokenUpload,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityReceipt?

    /// An app has told that a phone shows an activity no more.
    ///
    /// It is sent nothing of the activity until its app tells another token. The activity goes on for others.
    /// - Returns: whether it is gone by that; not when it takes no part, was told of a younger token, or the activity is over.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func leave(_ departure: ActivityDeparture, from activity: ActivityID, of app: AppID, now: Date) async throws -> Bool

    // MARK: Activities

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
    /// Planned transitions move with the instants to which they are relative. What is planned of an activity that ends is
    /// skipped.
    /// `orders` has at most 10,000 elements. The store carries out the orders of one activity in their order.
    /// - Returns: what became of each order, in their order.
    /// - Throws: ``StoreError``, `.conflict` when the request was carried out before.
    func change(
        _ orders: [ActivityOrder],
        of app: AppID,
        now: Date,
        noting note: AnswerNote<[ActivityResult]>?
    ) async throws -> [ActivityResult]

    /// What changes of activities would come to, and what they would cost phones of their budgets; nothing is changed.
    ///
    /// `orders` has at most 10,000 elements.
    /// - Returns: what would become of each order: the receipt says how many phones would be sent to, now or later.
    func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult]

    /// What starting an activity on phones would come to; nothing is changed.
    ///
    /// The activity need not be stored. `installations` has at most 10,000 elements.
    /// - Returns: how many phones would be sent the push that starts it, and on which it cannot be started; those that take part
    ///   already are neither.
    func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt

    /// An activity; `nil` when there is none.
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

    /// What happened to an activity, the latest last, with what its pushes came to so far.
    ///
    /// - Returns: a page of entries; the last 1,000 of an activity are kept.
    func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int>

    /// Removes activities that were over before a time, the oldest first, with all that belongs to them, in one transaction.
    ///
    /// One that has more phones than a call removes is gone with the last of these calls.
    /// `limit` is the approximate number of rows to remove, 100...10,000.
    /// - Returns: how many were removed to their end, and whether there may be more.
    @discardableResult
    func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities

    // MARK: Transitions

    /// Plans changes of an activity ahead; one of a name that is planned already is replaced.
    ///
    /// Signals ``StoreChange/activitiesDue``.
    /// - Returns: what became of it; `nil` when there is no such activity.
    func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning?

    /// Takes planned transitions back.
    ///
    /// Without `keys`, the store takes all planned transitions of the activity back.
    /// - Returns: the names of those that were planned until now; `nil` when there is no such activity.
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
    /// When there is next something to do for activities, so that nobody need look before; `nil` when nothing is planned.
    ///
    /// A time that has passed is one that ``carryOutTransitions(limit:only:now:)`` has something for.
    func nextActivityTime() async throws -> Date?

    /// Carries out what is due: planned transitions, and the end of activities after their 8 hours.
    ///
    /// A transition is carried out in the transaction that makes its batches and marks it as done, so that it happens once
    /// whoever dies: nobody leases anything that would have to lapse first. Of each activity one change is made in one call,
    /// in the order of their times. Any number of processes may call it at the same time.
    /// `limit` is the maximum number of activities, 1...1000; `activity` is the number of the only one, if it is due.
    /// - Returns: what was done, and whether there may be more.
    /// - Throws: ``StoreError``; nothing was done then.
    func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport

    /// The first instant in a span at which so many activities come due that it is worth to prepare them.
    ///
    /// The span excludes `from` and includes `until`. `count` is the minimum number of activities, at least 1.
    /// - Returns: the instant; `nil` when there is none.
    func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date?

    /// Prepares what is planned for an instant that has not come, as far as that can be done beforehand.
    ///
    /// Nothing is stored. ``carryOutTransitions(limit:only:now:)`` executes what is left out, and what changes before its time.
    /// `limit` is the maximum number of activities, 1...1000.
    /// - Returns: what was prepared, in one part for each app; its cursor is `nil` when there was none to look at, so that one
    ///   that is kept finds what has been planned since.
    func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64>

    /// How many parts of what was prepared are worth being carried out side by side, 1 or more: as many transactions as write
    /// at the same time and leave room for those of others.
    var preparedAtOnce: Int { get }

    /// Carries out what was prepared, in one transaction; of that only what is as it was then, and nothing before its time or
    /// more than ``PreparedTransitions/validSeconds`` after it.
    ///
    /// Any number of processes may have prepared the same: it happens once.
    /// - Returns: what was done.
    /// - Throws: ``StoreError``; nothing was done then.
    func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport

    /// Sends the newest state to some of the phones of an activity that has more than are sent to at once.
    ///
    /// Call it until it answers `false`, and again when ``StoreChange/activitiesDue`` is signalled. Any number of processes
    /// may do so at the same time.
    /// - Returns: whether there may be more to send.
    func sendOnActivities(now: Date) async throws -> Bool
}

/// The types of Live Activities that apps have registered, and with them what their content has to look like.
///
/// Whatever changes an activity holds the content that comes of it against the type, in the same transaction.
public protocol ActivityTypeStore: Sendable {
    /// Registers a type, in the place of one of that name.
    ///
    /// A type that is registered already keeps its registration time.
    /// - Returns: whether there was none of that name.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func keep(_ type: ActivityType) async throws -> Bool

    /// A type; `nil` when none of that name is registered.
    func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType?

    /// The types of an app by their names; one that does not exist has none.
    func activityTypes(of app: AppID) async throws -> [ActivityType]

    /// Forgets a type: the content of its activities is not checked any more.
    ///
    /// - Returns: whether there was one.
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
    /// It was carried out.
    case changed(ActivityReceipt)

    /// It was refused, and nothing of it was done.
    case refused(ActivityRefusal)

    /// There is no such activity.
    case unknown
}

/// Which activities are asked for.
public struct ActivityFilter: Hashable, Sendable {
    /// Those of one type; `nil` for all.
    public var attributesType: AttributesType?

    /// Those that are over, or those that are not; `nil` for both.
    public var isOver: Bool?

    /// Those with an instant of that name in a span.
    public var instant: InstantSpan?

    /// A named instant that lies from a time on, and before another one.
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
