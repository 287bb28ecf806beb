// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel

/// The Live Activities with their devices and scheduled transitions.
///
/// Only the latest state of an activity is stored, and a device has at most one push in flight. The transaction that
/// stores a change sends it to each device without one. The other devices are sent the latest state when their push is
/// settled, or by the next ``sendOnActivities(now:)``. So no intermediate state is sent, and no push is reordered.
///
/// Each call that sends creates one notification, and signals ``StoreChange/batchReady(_:)``.
public protocol ActivityStore: ActivityQueue {
    /// Replaces the push-to-start token of a device and type; returns `false` if a later token is stored.
    ///
    /// - Throws: `DeviceAccessError` if `access` does not allow it. With a client key the device must be registered, and
    ///   has at most ``DeviceLimit/startTokens``.
    @discardableResult
    func keep(_ token: PushToStartToken, access: DeviceAccess, now: Date) async throws -> Bool

    /// The push-to-start tokens of at most 10,000 devices for a type.
    func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [DeviceID]
    ) async throws -> [DeviceID: PushToStartToken]

    /// Stores the update token of a device that shows an activity, and sends it the latest state unless it shows that.
    ///
    /// A repetition changes nothing. An activity that does not exist is created from `draft`; if a copy of the app
    /// creates it, it belongs to the installation.
    /// - Returns: the receipt; `nil` if there is no such activity, and no draft.
    /// - Throws: `DeviceAccessError` if the `access` of the report does not allow it.
    func receive(
        _ upload: UpdateTokenRegistration,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityUpdateResult?

    /// Records that a device no longer shows an activity. It is sent nothing until its app registers another token.
    ///
    /// - Returns: `false` if the device does not participate, registered a later token, or the activity is over.
    /// - Throws: ``StoreError`` `.notFound` if there is no such app; `DeviceAccessError`.
    @discardableResult
    func leave(_ departure: ActivityEndReport, from activity: ActivityID, of app: AppID, now: Date) async throws -> Bool

    /// Names devices and users that may join an activity, in addition to those that it was started on.
    ///
    /// - Returns: whether the activity exists.
    /// - Throws: ``StoreError`` `.full` beyond ``ActivityLimit/namedMembers`` names.
    @discardableResult
    func name(_ members: ActivityMembers, in activity: ActivityID, of app: AppID) async throws -> Bool

    /// Stores an activity, and starts it by pushes on at most 10,000 devices and on the audience of a rollout.
    ///
    /// An activity of that ID that an installation has created gives up the ID, and ends. If `members` names that
    /// installation, its device takes part in the new activity instead.
    /// - Throws: ``StoreError`` `.conflict` if the activity exists, `.invalid` if a push cannot start it;
    ///   `ActivityError` for an invalid plan.
    func createActivity(
        _ activity: Activity,
        startingOn installations: [DeviceID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [NewTransition],
        naming members: ActivityMembers,
        now: Date,
        noting note: IdempotencyRecordBuilder<ActivityUpdateResult>?
    ) async throws -> ActivityUpdateResult

    /// Starts an activity by pushes on at most 10,000 devices, and on the audience of a rollout.
    ///
    /// Devices that already participate are skipped.
    /// - Throws: ``StoreError`` `.invalid` if a push cannot start the activity or it is over.
    func start(
        on installations: [DeviceID],
        rollingOut rollout: ActivityRollout?,
        activity: ActivityID,
        of app: AppID,
        now: Date,
        noting note: IdempotencyRecordBuilder<ActivityUpdateResult>?
    ) async throws -> ActivityUpdateResult?

    /// Makes at most 10,000 changes of activities in one transaction, for each activity in their order.
    ///
    /// Transitions move with the instants to which they are relative. Transitions of an activity that ends are skipped.
    /// - Returns: the result of each order, in their order.
    func change(
        _ orders: [ActivityUpdate],
        of app: AppID,
        now: Date,
        noting note: IdempotencyRecordBuilder<[ActivityUpdateOutcome]>?
    ) async throws -> [ActivityUpdateOutcome]

    /// Estimates at most 10,000 changes of activities, and their costs for the budgets of devices; changes nothing.
    func estimate(_ orders: [ActivityUpdate], of app: AppID, now: Date) async throws -> [ActivityUpdateOutcome]

    /// Estimates the start of an activity, which need not be stored, on at most 10,000 devices; changes nothing.
    func estimateStart(
        of activity: Activity,
        on installations: [DeviceID],
        now: Date
    ) async throws -> ActivityUpdateResult

    func activity(_ id: ActivityID, of app: AppID) async throws -> Activity?

    /// The activities of an app in the order of their creation.
    func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64>

    /// The devices of an activity in the order in which they joined.
    func participants(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityParticipant, Int64>

    /// Counts the devices of an activity by their states; `nil` if there is no such activity. Reads all of them.
    func participantCounts(of activity: ActivityID, app: AppID) async throws -> ParticipantCounts?

    /// The last 1,000 entries of the timeline of an activity, the latest last, with the outcomes of its pushes so far.
    func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int>

    /// Removes the oldest activities that were over before a time, with all that belongs to them, in one transaction.
    ///
    /// `limit` is the approximate number of rows to remove, 100...10,000. An activity with more needs several calls.
    @discardableResult
    func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedItems

    /// Schedules transitions of an activity; each replaces one of its key. Signals ``StoreChange/activitiesDue``.
    ///
    /// - Returns: the transitions, with their times if these are known.
    /// - Throws: `ActivityError` if the activity is over, a content state is invalid or there are too many of them.
    func plan(
        _ plans: [NewTransition],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> [ActivityTransition]?

    /// Cancels scheduled transitions of an activity, all without `keys`; returns the keys of the cancelled transitions.
    func cancelTransitions(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]?

    /// The transitions of an activity by their names, with the last one of each name.
    func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition]
}

extension ActivityStore {
    @discardableResult
    public func keep(_ token: PushToStartToken) async throws -> Bool {
        try await self.keep(token, access: .backend(), now: token.issuedAt)
    }

    public func createActivity(
        _ activity: Activity,
        startingOn installations: [DeviceID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [NewTransition],
        now: Date,
        noting note: IdempotencyRecordBuilder<ActivityUpdateResult>?
    ) async throws -> ActivityUpdateResult {
        try await self.createActivity(
            activity,
            startingOn: installations,
            rollingOut: rollout,
            planning: plans,
            naming: ActivityMembers(),
            now: now,
            noting: note
        )
    }
}

/// The due transitions of Live Activities, and the pushes that are left to send.
public protocol ActivityQueue: Sendable {
    /// The next time at which ``carryOutTransitions(limit:only:now:)`` has work, possibly in the past; `nil` for never.
    func nextActivityTime() async throws -> Date?

    /// Executes due transitions, and ends activities after their 8 hours.
    ///
    /// One transaction creates the batches of a transition and completes it. So a crash neither loses nor repeats it,
    /// and no lease has to expire first. A call makes one change of each activity. Processes can call it concurrently.
    /// `limit` is the maximum number of activities, 1...1000; `activity` is the number of the only one, if it is due.
    func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport

    /// The first instant after `from`, at most `until`, at which `count` or more activities are due; `nil` without one.
    ///
    /// `count` is at least 1.
    func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date?

    /// Decides on transitions before their instant, as far as the decision cannot change until then; stores nothing.
    ///
    /// ``carryOutTransitions(limit:only:now:)`` executes the other transitions, and those that change earlier.
    /// - Returns: a part for each app. The cursor is `nil` if none was read, so a kept cursor finds later transitions.
    func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityChangeSet, Int64>

    /// The number of prepared parts, at least 1, that can be executed at the same time without delay for others.
    var preparedAtOnce: Int { get }

    /// Writes prepared decisions in one transaction, except for activities that have changed since.
    ///
    /// Does nothing before their time, or more than ``ActivityChangeSet/validSeconds`` after it.
    func carryOut(_ prepared: ActivityChangeSet, now: Date) async throws -> TransitionReport

    /// Sends the latest state to the next devices of an activity with many; returns whether there may be more.
    ///
    /// Call it again when ``StoreChange/activitiesDue`` is signalled. Processes can call it concurrently.
    func sendOnActivities(now: Date) async throws -> Bool
}

/// The registered types of Live Activities; each transaction that changes an activity checks its content by them.
public protocol ActivityTypeStore: Sendable {
    /// Registers a type, or replaces the one of its name, whose creation time it keeps; returns whether it is new.
    @discardableResult
    func keep(_ type: ActivityType) async throws -> Bool

    func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType?

    /// The types of an app by their names; empty without such an app.
    func activityTypes(of app: AppID) async throws -> [ActivityType]

    /// Removes a type, so that its activities are no longer checked; returns whether there was one.
    @discardableResult
    func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool
}

extension ActivityType {
    /// Reads the columns of the table `activity_types`, and the app's id as `app_id`.
    package init(stored row: StoredRow) throws {
        self.init(
            app: try row.identifier("app_id"),
            name: try row.identifier("name"),
            contentState: try row.bytes("content_state").map { try JSONSchema(stored: $0) },
            attributes: try row.bytes("attributes").map { try JSONSchema(stored: $0) },
            createdAt: try row.date("created_at"),
            updatedAt: try row.date("changed_at")
        )
    }
}

extension JSONSchema {
    fileprivate init(stored bytes: [UInt8]) throws {
        self = try decodeStored("type of activities") { try JSONSchema(json: bytes) }
    }
}

/// The result of an order.
public enum ActivityUpdateOutcome: Hashable, Sendable {
    case changed(ActivityUpdateResult)
    /// Nothing was changed.
    case refused(ActivityError)
    /// There is no such activity.
    case unknown
}

/// The conditions for activities in a list; one that is `nil` holds for all.
public struct ActivityFilter: Sendable {
    /// The name of an instant, and the span of its time, without the end of the span.
    public typealias InstantSpan = (name: InstantName, from: Date, until: Date)

    public var attributesType: AttributesType?
    public var isOver: Bool?
    public var instant: InstantSpan?

    public init(attributesType: AttributesType? = nil, isOver: Bool? = nil, instant: InstantSpan? = nil) {
        self.attributesType = attributesType
        self.isOver = isOver
        self.instant = instant
    }
}
