// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The Live Activities: what phones show, which phones these are, and what is planned.
///
/// Only the newest content of an activity is kept, and a phone has one push on its way to it at a time: a change is sent in
/// the transaction that stores it to every phone that waits for nothing, and to the others by whatever settles what they
/// wait for, or else by the next call of ``sendOnActivities(now:)``. So what is overtaken is never sent, and nothing is sent out of order. `ActivityLifecycle`,
/// `ActivityParticipant` and `TransitionRound` have the rules.
///
/// Each call that sends makes one notification of what it sends, with batches as any other: it is accepted by an event, and
/// its outcomes are found under its id. Signals ``StoreChange/batchReady(_:)``.
public protocol ActivityStore: Sendable {
    // MARK: Tokens

    /// Keeps a token with which pushes start activities, in the place of an older one of the same phone and type.
    ///
    /// - Parameter token: the token.
    /// - Returns: whether it is the one that is used now; `false` for one that came later than a younger one.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func keep(_ token: PushToStartToken) async throws -> Bool

    /// The tokens with which pushes start activities of a type.
    ///
    /// - Parameters:
    ///   - type: the name of the app's type.
    ///   - app: the app.
    ///   - installations: the phones, at most 10,000.
    /// - Returns: the tokens of those that have one.
    /// - Throws: ``StoreError``.
    func pushToStartTokens(
        of type: AttributesType,
        app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: PushToStartToken]

    /// An app has told the update token of a phone that shows an activity.
    ///
    /// The phone takes part from then on; it is sent what is newest unless it shows that, and the end of an activity that is
    /// over. Telling it again changes nothing.
    /// - Parameters:
    ///   - upload: what the app told.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - draft: what the activity is when nobody has told of it, or `nil`.
    ///   - now: when the app told it.
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
    /// - Parameters:
    ///   - departure: what the app told.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - now: when the app told it.
    /// - Returns: whether it is gone by that; not when it takes no part, was told of a younger token, or the activity is over.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool

    // MARK: Activities

    /// Stores an activity, and starts it on phones by pushes.
    ///
    /// - Parameters:
    ///   - activity: the activity.
    ///   - installations: the phones on which a push starts it, at most 10,000; none for one that apps start.
    ///   - rollout: starts it on the devices of an audience from now on, or `nil`; see ``RolloutStore``.
    ///   - plans: what is planned of it; see ``plan(_:for:of:now:)``.
    ///   - now: the time of the call.
    ///   - note: makes what is stored with it for repetitions of the request, or `nil`.
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
    /// - Parameters:
    ///   - installations: the phones, at most 10,000.
    ///   - rollout: starts it on the devices of an audience from now on, or `nil`; see ``RolloutStore``.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - now: the time of the call.
    ///   - note: makes what is stored with it for repetitions of the request, or `nil`.
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
    /// - Parameters:
    ///   - orders: what is to change, at most 10,000; those of one activity are carried out in their order.
    ///   - app: the app.
    ///   - now: the time of the call.
    ///   - note: makes what is stored with them for repetitions of the request, or `nil`.
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
    /// - Parameters:
    ///   - orders: what would change, at most 10,000.
    ///   - app: the app.
    ///   - now: the time of the call.
    /// - Returns: what would become of each order: the receipt says how many phones would be sent to, now or later.
    /// - Throws: ``StoreError``.
    func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult]

    /// What starting an activity on phones would come to; nothing is changed.
    ///
    /// - Parameters:
    ///   - activity: the activity, which need not be stored.
    ///   - installations: the phones, at most 10,000.
    ///   - now: the time of the call.
    /// - Returns: how many phones would be sent the push that starts it, and on which it cannot be started; those that take part
    ///   already are neither.
    /// - Throws: ``StoreError``.
    func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt

    /// An activity; `nil` when there is none.
    func activity(_ id: ActivityID, of app: AppID) async throws -> Activity?

    /// An app's activities in the order in which they were made.
    ///
    /// - Parameters:
    ///   - app: the app; one that does not exist has none.
    ///   - filter: which ones.
    ///   - cursor: the place behind which to begin; `nil` begins at the first.
    ///   - limit: the most activities to answer, 1...1000.
    /// - Returns: a page of activities.
    /// - Throws: ``StoreError``.
    func activities(
        of app: AppID,
        matching filter: ActivityFilter,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Activity, Int64>

    /// The phones of an activity in the order in which they joined.
    ///
    /// - Parameters:
    ///   - activity: the activity; one that does not exist has none.
    ///   - app: its app.
    ///   - cursor: the place behind which to begin; `nil` begins at the first.
    ///   - limit: the most phones to answer, 1...1000.
    /// - Returns: a page of phones.
    /// - Throws: ``StoreError``.
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
    /// - Parameters:
    ///   - activity: the activity; one that does not exist has none.
    ///   - app: its app.
    ///   - cursor: the entry behind which to begin; `nil` begins at the oldest that is kept.
    ///   - limit: the most entries to answer, 1...1000.
    /// - Returns: a page of entries; the last 1,000 of an activity are kept.
    /// - Throws: ``StoreError``.
    func timeline(
        of activity: ActivityID,
        app: AppID,
        after cursor: Int?,
        limit: Int
    ) async throws -> Page<TimelineEntry, Int>

    /// Removes activities that were over before a time, the oldest first, with all that belongs to them, in one transaction.
    ///
    /// One that has more phones than a call removes is gone with the last of these calls.
    /// - Parameters:
    ///   - time: the time.
    ///   - limit: about how many rows to remove, 100...10,000.
    /// - Returns: how many were removed to their end, and whether there may be more.
    /// - Throws: ``StoreError``.
    @discardableResult
    func removeActivities(overBefore time: Date, limit: Int) async throws -> PrunedActivities

    // MARK: Transitions

    /// Plans changes of an activity ahead; one of a name that is planned already is replaced.
    ///
    /// Signals ``StoreChange/activitiesDue``.
    /// - Parameters:
    ///   - plans: the transitions.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - now: the time of the call.
    /// - Returns: what became of it; `nil` when there is no such activity.
    /// - Throws: ``StoreError``.
    func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning?

    /// Takes planned transitions back.
    ///
    /// - Parameters:
    ///   - keys: their names; `nil` takes all back.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - now: the time of the call.
    /// - Returns: the names of those that were planned until now; `nil` when there is no such activity.
    /// - Throws: ``StoreError``.
    func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]?

    /// The transitions of an activity by their names, with the last one of each name.
    func transitions(of activity: ActivityID, app: AppID) async throws -> [ActivityTransition]

    /// When there is next something to do for activities, so that nobody need look before; `nil` when nothing is planned.
    ///
    /// A time that has passed is one that ``carryOutTransitions(limit:now:)`` has something for.
    func nextActivityTime() async throws -> Date?

    /// Carries out what is due: planned transitions, and the end of activities after their 8 hours.
    ///
    /// A transition is carried out in the transaction that makes its batches and marks it as done, so that it happens once
    /// whoever dies: nobody leases anything that would have to lapse first. Of each activity one change is made in one call,
    /// in the order of their times. Any number of processes may call it at the same time.
    /// - Parameters:
    ///   - limit: how many activities to look after, 1...1000.
    ///   - now: the time.
    /// - Returns: what was done, and whether there may be more.
    /// - Throws: ``StoreError``; nothing was done then.
    func carryOutTransitions(limit: Int, now: Date) async throws -> TransitionReport

    /// The first instant in a span at which so many activities come due that it is worth to prepare them.
    ///
    /// - Parameters:
    ///   - from: the time behind which to begin.
    ///   - until: the last time that counts.
    ///   - count: how many activities there have to be, 1 or more.
    /// - Returns: the instant; `nil` when there is none.
    /// - Throws: ``StoreError``.
    func crowdedActivityTime(after from: Date, until: Date, count: Int) async throws -> Date?

    /// Prepares what is planned for an instant that has not come, as far as that can be done beforehand.
    ///
    /// Nothing is stored, and nobody waits for it. What it leaves out is carried out by ``carryOutTransitions(limit:now:)``, as
    /// is what changes before its time.
    /// - Parameters:
    ///   - instant: the instant.
    ///   - cursor: the place behind which to begin; `nil` begins at the first activity.
    ///   - limit: how many activities to look at, 1...1000.
    /// - Returns: what was prepared, in one part for each app; its cursor is `nil` when there was none to look at, so that one
    ///   that is kept finds what has been planned since.
    /// - Throws: ``StoreError``.
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
    /// - Parameters:
    ///   - prepared: what was prepared.
    ///   - now: the time.
    /// - Returns: what was done.
    /// - Throws: ``StoreError``; nothing was done then.
    func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport

    /// Sends the newest state to some of the phones of an activity that has more than are sent to at once.
    ///
    /// Call it until it answers `false`, and again when ``StoreChange/activitiesDue`` is signalled. Any number of processes
    /// may do so at the same time.
    /// - Parameter now: the time.
    /// - Returns: whether there may be more to send.
    /// - Throws: ``StoreError``.
    func sendOnActivities(now: Date) async throws -> Bool
}

extension ActivityStore {
    /// Stores an activity and nothing for repetitions; see
    /// ``createActivity(_:inviting:rollingOut:planning:now:noting:)``.
    public func createActivity(
        _ activity: Activity,
        inviting installations: [InstallationID],
        rollingOut rollout: ActivityRollout? = nil,
        planning plans: [TransitionPlan] = [],
        now: Date
    ) async throws -> ActivityReceipt {
        try await self.createActivity(
            activity,
            inviting: installations,
            rollingOut: rollout,
            planning: plans,
            now: now,
            noting: nil
        )
    }

    /// Starts an activity on more phones and stores nothing for repetitions; see
    /// ``invite(_:rollingOut:to:of:now:noting:)``.
    public func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout? = nil,
        to activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> ActivityReceipt? {
        try await self.invite(installations, rollingOut: rollout, to: activity, of: app, now: now, noting: nil)
    }

    /// Changes activities and stores nothing for repetitions; see ``change(_:of:now:noting:)``.
    public func change(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult] {
        try await self.change(orders, of: app, now: now, noting: nil)
    }
}
