// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The queue of batches, and what became of them.
///
/// Its life: `accept`, then by one worker at a time `claim`, `settle` slice by slice, and `extendLease` meanwhile. A
/// lease that lapses is claimed again and goes on from the cursor, so that a slice that was sent but not settled is sent
/// twice, with the same `apns-id`s. Targets that have to wait are deferred: the cursor passes over them, and they are
/// handed out again when they are due. `BatchLifecycle` has the rules.
public protocol BatchStore: Sendable {
    /// Stores a notification with its batches; all of it or nothing, and durably when it returns.
    ///
    /// Appends the event `notification.accepted`. Signals ``StoreChange/batchReady(_:)``.
    /// - Parameters:
    ///   - notification: the request.
    ///   - batches: its batches; `NotificationPlan` makes both.
    ///   - note: what is stored together with it, or `nil`.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app, `.conflict` when one of the ids is taken, when the
    ///   notification is the second to send the same one again, when there is a record under the note's idempotency key,
    ///   or when the note's chunk does not begin where its stream ends; `.invalid` when the batches are not the
    ///   notification's or have no or too many targets or payloads.
    func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws

    /// Leases urgent batches to a taker in the transaction that accepts them, as far as it wants them.
    ///
    /// What the taker has not settled when the process dies is claimed by others once the lease has lapsed, like every
    /// batch. Such a batch is not signalled by ``StoreChange/batchReady(_:)``. A store need not do this: then batches wait
    /// to be claimed.
    func beginHandOver(to taker: any BatchTaker)

    /// Leases nothing more to a taker.
    func endHandOver(to taker: any BatchTaker)

    /// Leases batches to a worker, of each kind the oldest first.
    ///
    /// Atomic: two workers never hold the same batch unless its lease lapsed. Batches whose time is over are not
    /// leased: they expire by this, their remaining targets count as failed, and the notification may be settled by it.
    /// Those that cannot be read fail by this, so that they never stand in the way of others. What it takes does not
    /// grow with the number of batches for which there is no room.
    /// - Parameters:
    ///   - lane: the queue.
    ///   - room: how many batches to lease, in all and of each kind.
    ///   - worker: who asks.
    ///   - leaseDuration: how long the lease holds; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: batches that are pending, whose lease lapsed or whose waiting is over, the oldest first, and what became
    ///   of those that ended by this.
    /// - Throws: ``StoreError``.
    func claim(
        lane: Lane,
        room: ClaimRoom,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim

    /// Gives a worker more time, counted from `now`.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - worker: who holds its lease.
    ///   - leaseDuration: how long the lease is to hold; more than zero.
    ///   - now: the time of the call.
    /// - Returns: when the lease lapses now.
    /// - Throws: ``StoreError`` `.leaseLost` when the worker does not hold the lease: stop sending.
    @discardableResult
    func extendLease(
        of batch: BatchID,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> Date

    /// Books the outcomes of a slice, in one transaction.
    ///
    /// The cursor moves behind the slice, what is deferred is kept for later, the counts are added, a row is kept for
    /// every failure, dead tokens make their devices invalid unless these registered after the time that APNs gave, bad
    /// ones make them suspect. With the last target the batch is settled, with the last batch the notification: that is
    /// signalled. Signals ``StoreChange/batchAdvanced(_:)``, as everything does by which targets come to an outcome.
    /// Appends the events `device.invalidated`, `device.suspected` and `notification.settled`.
    /// Repeating a settlement whose answer was lost changes nothing and counts nothing twice.
    /// - Parameters:
    ///   - settlement: the slice and what became of it.
    ///   - now: when that became known.
    /// - Returns: what the settlement changed.
    /// - Throws: ``StoreError`` `.leaseLost` when another worker holds the lease or went on with the batch, or
    ///   when the batch is gone; `.invalid` when a failure or a deferral lies outside of what was sent, or the slice
    ///   outside of the batch.
    @discardableResult
    func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt

    /// Gives a batch back so that any worker may claim it; does nothing when the worker lost the lease.
    ///
    /// A batch of which only deferred targets are left can be claimed when the first of them is due, others at once.
    /// Signals ``StoreChange/batchReady(_:)``. One that was halted is paused or cancelled by this, and the notification
    /// may be settled by that.
    /// - Returns: how many targets are called off by this: those of a cancelled batch that have no outcome.
    @discardableResult
    func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int

    /// Gives a batch back because it could not be carried out, and counts that.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - worker: who holds its lease.
    ///   - until: nobody claims it before.
    ///   - now: the time of the call.
    /// - Throws: ``StoreError`` `.leaseLost` when the worker does not hold the lease.
    func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws

    /// Ends a batch before all of its targets have an outcome; the notification may be settled by it.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - worker: who holds its lease.
    ///   - code: what the targets that are left come to; `expired` makes the batch expired, any other makes it failed.
    ///   - now: the time of the call.
    /// - Returns: how many targets that were.
    /// - Throws: ``StoreError`` `.leaseLost` when the worker does not hold the lease.
    @discardableResult
    func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int

    /// Calls off what is left of a notification.
    ///
    /// Batches that wait are cancelled by this. Those that a worker sends are marked: it stops within a second, settles
    /// what it has in flight, and gives them back, which cancels them. Signals ``StoreChange/halted(_:)``.
    /// - Returns: how many targets had no outcome; `nil` when there is no such notification.
    @discardableResult
    func cancel(_ notification: NotificationID, now: Date) async throws -> Int?

    /// Which of these batches were halted, or have ended, since they were claimed: stop sending them.
    ///
    /// - Parameter batches: batches that a worker is sending.
    /// - Returns: those that it should stop sending.
    /// - Throws: ``StoreError``.
    func halted(among batches: [BatchID]) async throws -> Set<BatchID>

    /// When the next batch that waits for its time may be claimed.
    ///
    /// - Parameters:
    ///   - lane: the queue.
    ///   - now: what is due by then does not count.
    /// - Returns: the earliest time behind `now`; `nil` when nothing waits. Leases do not count.
    /// - Throws: ``StoreError``.
    func nextClaim(in lane: Lane, after now: Date) async throws -> Date?

    /// When the rest of a notification is gone on with, where all that is left of it waits for its time.
    ///
    /// - Parameters:
    ///   - notification: the notification; one that does not exist has no rest.
    ///   - now: what is due by then does not wait.
    /// - Returns: the earliest time behind `now`; `nil` when something can be sent, is being sent, or is halted.
    /// - Throws: ``StoreError``.
    func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date?

    /// How far a notification has come; `nil` when there is no such notification.
    func notification(_ id: NotificationID) async throws -> NotificationStatus?

    /// The targets of a notification that came to anything but `delivered`, in the order of the targets.
    ///
    /// Targets whose batch expired, failed or was cancelled before their turn are not among these: the status counts them.
    /// - Parameters:
    ///   - notification: the notification; one that does not exist has none.
    ///   - cursor: the `apns-id` behind which to begin; `nil` begins at the first.
    ///   - limit: the most failures to answer, 1...1000.
    /// - Returns: a page of failures.
    /// - Throws: ``StoreError``.
    func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID>

    /// The targets of a notification that came to anything but `delivered` for whatever reason, in their order.
    ///
    /// Unlike ``failures(of:after:limit:)`` it lists as well what a batch left that expired, failed or was cancelled, as
    /// soon as it did.
    /// - Parameters:
    ///   - notification: the notification; one that does not exist has none.
    ///   - filter: which failures.
    ///   - cursor: the `apns-id` behind which to begin; `nil` begins at the first.
    ///   - limit: the most failures to answer, 1...1000.
    /// - Returns: a page of failures.
    /// - Throws: ``StoreError``.
    func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID>

    /// A batch as it was accepted; `nil` when there is no such batch.
    func batch(_ id: BatchID) async throws -> Batch?

    /// The notification that sends the failed targets of another one again; `nil` when none does.
    ///
    /// Where several do, one behind the other, it is the one that goes farthest. Of two that go equally far only one is
    /// accepted: the other one is a `conflict`.
    func resend(of notification: NotificationID) async throws -> Notification?

    /// All notifications that send the failed targets of another one again, the one that begins first before the others.
    ///
    /// Each goes from where the one before it ends through its `resendThrough`, and the last one to the end where it has
    /// none. They are as many as `:resend` was called for it: each call takes a batch or more.
    func resends(of notification: NotificationID) async throws -> [Notification]

    /// How many batches of an app, or of all apps where that is `nil`, are not final, by their lanes and kinds.
    ///
    /// They come in no order; kinds without any are absent.
    func openBatches(of app: AppID?) async throws -> [OpenBatches]

    /// What became of one notification to one target; `nil` when no stored batch has that `apns-id`.
    func outcome(of apnsID: APNsID) async throws -> TargetOutcome?

    /// What is known of the targets of batches; those that do not exist are left out.
    ///
    /// - Parameter batches: the batches, at most 1000.
    /// - Returns: what is known of each.
    /// - Throws: ``StoreError``.
    func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes]
}

extension BatchStore {
    /// Does nothing: every batch waits to be claimed.
    public func beginHandOver(to taker: any BatchTaker) {}

    /// Does nothing.
    public func endHandOver(to taker: any BatchTaker) {}

    /// Stores a notification with its batches and nothing else; see ``accept(_:batches:noting:)``.
    public func accept(_ notification: PushModel.Notification, batches: [Batch]) async throws {
        try await self.accept(notification, batches: batches, noting: nil)
    }

    /// Leases batches to a worker, the oldest first, whatever their kind.
    ///
    /// See ``claim(lane:room:worker:leaseDuration:now:)``.
    /// - Parameters:
    ///   - lane: the queue.
    ///   - limit: the most batches to lease, 1...1000.
    ///   - worker: who asks.
    ///   - leaseDuration: how long the lease holds; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: the batches.
    /// - Throws: ``StoreError``.
    public func claim(
        lane: Lane,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        let room = ClaimRoom(total: limit, perKind: limit)
        let claim = try await self.claim(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
        return claim.batches
    }
}
