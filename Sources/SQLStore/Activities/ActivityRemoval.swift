// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel

/// What a store's tables do for activities within one transaction, which is all that differs between stores.
///
/// What is done with it is written once, in the extensions: each call works on many rows at a time, so that a store on the
/// far side of a network waits as seldom as one in a file. What is read is not changed by others before the transaction
/// ends.
package protocol ActivityTables {
    // MARK: Reading

    /// The number of an app.
    ///
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    func number(ofApp app: AppID) throws -> Int64

    /// The activities of those names; those that do not exist are absent.
    func activityRows(_ ids: [ActivityID], app: Int64) throws -> [ActivityRow]

    /// The activities of those numbers.
    func activityRows(numbers: [Int64]) throws -> [ActivityRow]

    /// Activities that somebody has to look after at a time, those first that have waited longest; others that look after
    /// some at the same time get others. What cannot be read is absent, and `onDamage` sees to it.
    func dueActivityRows(
        limit: Int,
        only activity: Int64?,
        now: Date,
        onDamage: (_ number: Int64, _ error: StoreError) throws -> Void
    ) throws -> [ActivityRow]

    /// Activities that somebody has to look after at one instant, behind a number and in the order of their numbers, with the
    /// last of these numbers; what cannot be read is absent. Nobody is kept from changing them.
    func activityRows(
        dueAt instant: Date,
        after number: Int64,
        limit: Int
    ) throws -> (rows: [ActivityRow], last: Int64?)

    /// Which of some activities are as they were read: their numbers. Nobody changes these before the transaction ends; those
    /// that others are changing are left out.
    func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64>

    /// Which of some phones are as they were read: their numbers. Their activities are not changed by others.
    func unchanged(_ rows: [ParticipantRow]) throws -> Set<Int64>

    /// Activities that were over before a time, those first that were first; others that look at the same time may get
    /// others. What cannot be read loses what nobody needs any more, and is answered the next time.
    func activityRows(overBefore time: Date, limit: Int) throws -> [ActivityRow]

    /// An activity of which something is left to be sent on; others that look at the same time get others. What cannot be
    /// read is set aside.
    func activityRowToSendOn(now: Date) throws -> ActivityRow?

    /// What never changes about an activity, with all that does.
    func activity(_ row: ActivityRow) throws -> Activity

    /// All phones of activities that have few, in the order of their numbers.
    func participantRows(ofActivities numbers: [Int64]) throws -> [ParticipantRow]

    /// The phones of those numbers.
    func participantRows(numbers: [Int64]) throws -> [ParticipantRow]

    /// The phones of an activity behind a number, in the order of their numbers.
    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow]

    /// Those of some phones that take part in an activity.
    func participantRows(_ installations: [InstallationID], ofActivity number: Int64) throws -> [ParticipantRow]

    /// The tokens with which pushes start activities of a type, of those phones that have one.
    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        installations: [InstallationID]
    ) throws -> [PushToStartToken]

    /// A channel of an app, which nobody deletes before the transaction ends; `nil` when there is none of that name.
    func channel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel?

    /// The types of those names that are registered.
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType]

    /// The batches of those ids; those that were removed, or cannot be read, are absent.
    func batchRows(_ ids: [BatchID]) throws -> [BatchID: BatchRow]

    func targetList(of batch: BatchRow) throws -> TargetList

    /// The numbers of the phones to which a batch is sent, by their places in it; empty when they are not known.
    func participants(of batch: BatchID) throws -> [Int64]

    /// The phones that wait for the outcome of a target before a place of a batch, by their places.
    func waitingPushes(on batch: BatchID, before place: Int) throws -> [WaitingPush]

    func instants(ofActivities numbers: [Int64]) throws -> [Int64: [InstantName: Date]]

    func plannedTransitions(ofActivities numbers: [Int64]) throws -> [Int64: [ActivityTransition]]

    /// A page of an activity's timeline, without the outcomes of its pushes.
    func timelineRows(
        ofActivity number: Int64,
        after cursor: Int,
        limit: Int
    ) throws -> Page<TimelineRow, Int>

    /// What became of those targets of a batch that were not delivered.
    func failures(of batch: BatchID, in range: Range<Int>) throws -> [Int: Outcome]

    /// Rollouts that may be claimed at a time, those first that have waited longest; others that ask at the same time get
    /// others. What cannot be read of them is given up.
    func claimableRolloutRows(limit: Int, now: Date) throws -> [RolloutRow]

    /// A rollout; where it is to be locked, nobody claims or releases it before the transaction ends.
    func rolloutRow(_ id: RolloutID, isLocked: Bool) throws -> RolloutRow?

    /// The rollouts of an activity in the order in which they were asked for.
    func rolloutRows(ofActivity number: Int64) throws -> [RolloutRow]

    /// The rollouts of activities that run, by the activities' numbers; nothing else of them is read.
    func runningRollouts(ofActivities numbers: [Int64]) throws -> [Int64: [RolloutID]]

    // MARK: Writing

    /// Sets an activity aside; its timeline tells that once, until something else happens to it.
    func setAside(_ aside: SetAside) throws

    /// Adds an activity with its instants.
    ///
    /// - Returns: the row, with its number; `nil` when there is one of that name.
    func insert(_ activity: Activity, app: Int64) throws -> ActivityRow?

    /// Writes back what changes about activities; when they are looked after next only where that has changed.
    func update(_ rows: [ActivityRow]) throws

    /// Adds phones.
    func insert(_ rows: [ParticipantRow]) throws

    /// Writes back what changes about phones.
    func update(_ rows: [ParticipantRow]) throws

    /// Writes back what was sent to phones last, and nothing else.
    func updateSends(_ rows: [ParticipantRow]) throws

    /// Adds phones that wait; one that waits already for the same stays as it is.
    func insert(_ waiting: [WaitingPush]) throws

    /// Removes phones that wait no more.
    func remove(_ waiting: [WaitingPush]) throws

    /// Replaces the instants of an activity.
    func write(_ instants: [InstantName: Date], ofActivity number: Int64) throws

    /// Adds transitions of activities, each in the place of one of its name.
    func write(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws

    /// Writes how transitions have ended, and when; the rest of them stays.
    func end(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws

    /// Adds entries to timelines, and removes those that are more than are kept.
    func append(_ entries: [TimelineDraft]) throws

    /// Removes phones of an activity, at most so many.
    ///
    /// - Returns: how many were removed.
    func removePhones(ofActivity number: Int64, limit: Int) throws -> Int

    /// Removes an activity with all that belongs to it.
    func removeActivity(_ number: Int64) throws

    /// Keeps the answer for repetitions of a request; a key that was used before is a conflict.
    func insert(_ record: IdempotencyRecord, app: Int64) throws

    /// Tells of what has happened in the feed of the app.
    func tell(_ events: [EventDraft], app: Int64, signalling changes: inout [StoreChange]) throws

    /// Forgets a token with which pushes start activities, unless the phone has told another one since, or another
    /// environment for it.
    func removePushToStartToken(
        _ target: Target,
        of type: AttributesType,
        installation: InstallationID,
        app: Int64
    ) throws

    /// Stores a notification with batches, and to which phones each is sent.
    func accept(
        _ notification: PushModel.Notification,
        batches: [PlannedBatch],
        participants: [BatchID: [Int64]],
        app: Int64,
        signalling changes: inout [StoreChange]
    ) throws

    /// Stores a notification without batches, to which some are added later.
    func open(_ notification: NotificationID, createdAt: Date, app: Int64) throws

    /// Adds batches to an open notification, and stores to which phones each is sent.
    func append(
        _ batches: [PlannedBatch],
        to notification: NotificationID,
        participants: [BatchID: [Int64]],
        app: Int64,
        signalling changes: inout [StoreChange]
    ) throws

    /// Lets no more batches be added to a notification, which may be settled by that.
    func close(_ notification: NotificationID, now: Date, signalling changes: inout [StoreChange]) throws

    /// Adds a rollout, and removes those of its activity that have ended and are more than are kept.
    func insert(_ row: RolloutRow) throws

    /// Writes back what changes about a rollout.
    func update(_ row: RolloutRow) throws

    /// Writes back who goes on with a rollout, and nothing else.
    func updateLease(_ row: RolloutRow) throws

    /// Writes back a batch some of whose deferred targets have failed as `superseded`.
    func supersede(
        _ indices: [Int],
        of batch: BatchRow,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws
}

extension ActivityTables {
    /// Removes activities that are over; see ``ActivityStore/removeActivities(overBefore:limit:)``.
    package func remove(
        overBefore time: Date,
        limit: Int,
        signalling changes: inout [StoreChange]
    ) throws -> PrunedActivities {
        var rows = min(max(100, limit), 10_000)
        var pruned = PrunedActivities()
        let found = try self.activityRows(overBefore: time, limit: rows / Self.rowsOfActivity + 1)
        let running = try found.isEmpty ? [:] : self.runningRollouts(ofActivities: found.map(\.number))
        for row in found {
            guard rows > 0 else { break }
            rows -= Self.rowsOfActivity + min(row.entries, ActivityLimit.timelineEntries)
            let room = max(1, rows)
            let phones = row.joined == 0 ? 0 : try self.removePhones(ofActivity: row.number, limit: room)
            rows -= phones
            // It may have more of them.
            guard phones < room else { break }
            for rollout in running[row.number] ?? [] {
                // Nobody would go on with what it has begun.
                try self.close(rollout.notification, now: time, signalling: &changes)
            }
            try self.removeActivity(row.number)
            pruned.activities += 1
        }
        pruned.hasMore = rows <= 0
        return pruned
    }

    /// What an activity takes without its phones and its timeline: its own row with its places in indices, its instants
    /// and transitions.
    private static var rowsOfActivity: Int { 4 }
}

/// What a round writes beside what it has gathered itself.
struct ActivityWriting: Sendable {
    /// The notification that sends the pushes; `nil` where they belong to that of a rollout, or nothing is sent.
    var notification: PushModel.Notification?
    var batches: [PlannedBatch] = []
    /// The phones to which each batch is sent, by their places.
    var participants: [BatchID: [Int64]] = [:]
    /// Phones about which nothing changes but what they are sent.
    var sent: [ParticipantRow] = []
    var entries: [TimelineDraft] = []
    var rows: [ActivityRow] = []
    var events: [EventDraft] = []
}
