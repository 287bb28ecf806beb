// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel

/// The queue of batches, for workers.
///
/// One worker at a time claims a batch, settles it slice by slice, and extends its lease meanwhile. A batch whose lease
/// expired is claimed again and continues at its cursor, so a slice that was sent but not settled is sent twice with
/// the same `apns-id`s. The cursor passes deferred targets; a later claim returns them when they are due.
public protocol BatchQueue: Sendable {
    /// Leases urgent batches to a taker in the transaction that accepts them, as far as it wants them.
    ///
    /// The store does not signal such a batch.
    func beginHandOver(to taker: any DirectHandoffConsumer)

    func endHandOver(to taker: any DirectHandoffConsumer)

    /// Leases batches to a worker, the oldest of each routing key first.
    ///
    /// It also ends expired and corrupt batches, which may complete their notifications. The cost does not grow with
    /// the number of batches beyond the limits.
    /// - Returns: the leased batches, the oldest first, and the outcomes of those that ended.
    func claim(
        lane: Lane,
        room: ClaimLimits,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> BatchClaim

    /// The batches of a lane that a worker leases beyond `now`, in no order.
    func leasedBatches(in lane: Lane, to worker: WorkerID, now: Date) async throws -> [BatchID]

    /// Extends the lease of a worker, counted from `now`; returns its new end.
    @discardableResult
    func extendLease(of batch: BatchID, worker: WorkerID, leaseDuration: Duration, now: Date) async throws -> Date

    /// Settles a chunk in one transaction.
    ///
    /// Advances the cursor past the chunk, stores the deferrals, adds the counts and inserts a row for each failure. A
    /// 410 marks the device invalid, unless it registered after the timestamp in the response. `BadDeviceToken` marks an
    /// active device with the token in this environment suspect, and a suspect one with the token in the other
    /// environment invalid. The last target completes the batch, the last batch the notification. Signals
    /// ``StoreChange/batchAdvanced(_:)``. Appends `device.suspected`, `device.invalidated` and
    /// `notification.completed`. A repetition changes nothing.
    /// - Throws: ``StoreError`` `.leaseLost` also if another worker continued the batch; `.invalid` if a failure or a
    ///   deferral is outside of the sent targets, or the chunk outside of the batch.
    @discardableResult
    func settle(_ settlement: Settlement, now: Date) async throws -> SettlementResult

    /// Settles several slices, each as ``settle(_:now:)`` does: an error of one does not affect the others.
    ///
    /// A transient error of the store may be the result of several slices, which can be settled one by one afterwards.
    /// - Returns: a result for each, in their order.
    func settle(_ settlements: [Settlement], now: Date) async -> [Result<SettlementResult, any Error>]

    /// Releases a batch so that any worker may claim it; does nothing if the worker lost the lease.
    ///
    /// A batch with only deferred targets left can be claimed when the first of them is due, others immediately.
    /// Signals ``StoreChange/batchReady(_:)``. With a stop request, the batch becomes paused or cancelled.
    /// - Returns: the number of cancelled targets: those of a cancelled batch without an outcome.
    @discardableResult
    func release(_ batch: BatchID, worker: WorkerID, now: Date) async throws -> Int

    /// Gives a batch back after a failure, and counts that; no worker claims it before `until`.
    func setBack(_ batch: BatchID, worker: WorkerID, until: Date, now: Date) async throws

    /// Ends a batch before all of its targets have an outcome; the notification may be settled by it.
    ///
    /// `code` is the outcome of the remaining targets. `expired` makes the batch expired, any other code failed.
    /// - Returns: how many targets that were.
    @discardableResult
    func close(_ batch: BatchID, worker: WorkerID, as code: FailureCode, now: Date) async throws -> Int

    /// Which of these batches were halted, or have ended, since they were claimed: stop sending them.
    func halted(among batches: [BatchID]) async throws -> Set<BatchID>

    /// The earliest time behind `now` at which a waiting batch may be claimed; leases do not count.
    func nextClaim(in lane: Lane, after now: Date) async throws -> Date?
}

/// The notifications with their batches and outcomes.
public protocol NotificationStore: Sendable {
    /// Stores a notification with its batches; all of it or nothing, and durably when it returns.
    ///
    /// Appends the event `notification.accepted`. Signals ``StoreChange/batchReady(_:)``.
    /// `BatchedNotification` makes the notification and its batches.
    /// - Throws: ``StoreError`` `.conflict` when one of the ids is taken, the notification is the second to send the
    ///   same one again, there is a record under the note's idempotency key, or the note's chunk does not begin where
    ///   its stream ends; `.invalid` when the batches are not the notification's, or have no or too many targets or
    ///   payloads.
    func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceAttachment?
    ) async throws

    /// Cancels the remaining targets of a notification.
    ///
    /// Queued batches are cancelled immediately. Claimed batches get a stop request: within one second, the worker
    /// stops, settles what is in flight, and releases them, which cancels them. Signals ``StoreChange/halted(_:)``.
    /// - Returns: the number of targets without an outcome; `nil` if the notification does not exist.
    @discardableResult
    func cancel(_ notification: NotificationID, now: Date) async throws -> Int?

    /// The earliest time behind `now` at which a notification continues; `nil` unless all that is left of it waits.
    func nextTurn(of notification: NotificationID, after now: Date) async throws -> Date?

    func notification(_ id: NotificationID) async throws -> NotificationStatus?

    /// Returns the targets of a notification with another outcome than `delivered`, in the order of the targets.
    ///
    /// Targets whose batch expired, failed or was cancelled before they were sent are omitted: the status counts them.
    func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID>

    /// Returns the failed targets of a notification for any reason, in their order.
    ///
    /// Unlike ``failures(of:after:limit:)``, it includes the remaining targets of batches that expired, failed or were
    /// cancelled.
    func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID>

    /// Returns the targets of an app that APNs reported as unregistered (410), the latest batches first.
    ///
    /// A target is listed once for each notification to it. The store reads at most 10,000 failures, of all apps, for
    /// one page, which may be empty although more follow.
    func unregisteredTargets(
        of app: AppID,
        before cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID>

    func batch(_ id: BatchID) async throws -> Batch?

    /// The notifications that send failed targets of another one again, in order, each through its `resendThrough`.
    ///
    /// The last one may go to the end. Of two that go equally far only one is accepted: the other one is a `conflict`.
    func resends(of notification: NotificationID) async throws -> [PushModel.Notification]

    /// The counts of the batches of an app, or of all apps, that are not final, by lane and kind, in no order.
    func openBatches(of app: AppID?) async throws -> [OpenBatchCount]

    /// Returns the outcome of a notification for one target; `nil` if no stored batch has that `apns-id`.
    func outcome(of apnsID: APNsID) async throws -> TargetOutcome?

    /// Returns the known outcomes of the targets of at most 1000 batches; unknown batches are omitted.
    func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes]
}

public protocol BatchStore: BatchQueue, NotificationStore {}

/// Creates the response for repetitions of a request, which the transaction of the request stores.
///
/// `nil` stores none. If the request was executed before, the transaction throws `.conflict`.
public typealias IdempotencyRecordBuilder<Value> = @Sendable (Value) throws -> IdempotencyRecord?

/// A record that is stored together with a notification, in the same transaction.
public enum AcceptanceAttachment: Hashable, Sendable {
    case answer(IdempotencyRecord)

    /// The lines of a stream that the notification was made of.
    case chunk(StreamChunk)

    /// The endpoint of the notification, whose application receives an event if it fails.
    case endpoint(EndpointPublication)
}

/// How many batches a worker takes at once, in all and of each kind.
public struct ClaimLimits: Hashable, Sendable {
    /// The most batches in all, 1...1000.
    public var total: Int

    /// The most batches of a kind that ``kinds`` does not name; 0 or more.
    public var perKind: Int

    /// The maximum number of routing keys beyond ``kinds`` from which batches are claimed; 0 or more.
    public var otherKinds: Int

    /// The most batches of single kinds; 0 leaves a kind alone.
    public var kinds: [RoutingKey: Int]

    /// The most batches that one more terminated worker quarantines; see `Interruptions`.
    public var suspects = 1

    /// Room for small batches in addition to all others.
    public var small = SmallRoom()

    public init(total: Int, perKind: Int, otherKinds: Int = .max, kinds: [RoutingKey: Int] = [:]) {
        self.total = total
        self.perKind = perKind
        self.otherKinds = otherKinds
        self.kinds = kinds
    }

    public func limit(for kind: RoutingKey) -> Int {
        max(0, self.kinds[kind] ?? (self.otherKinds > 0 ? self.perKind : 0))
    }
}

/// How many small batches of some kinds a worker takes at once.
public struct SmallRoom: Hashable, Sendable {
    /// The most targets of a small batch; 0 makes no batch small.
    public var size = 0

    /// The most targets of all that are taken.
    public var targets = 0

    /// The most batches of each kind; those of other kinds are not small, regardless of their size.
    public var kinds: [RoutingKey: Int] = [:]

    public init(size: Int = 0, targets: Int = 0) {
        self.size = size
        self.targets = targets
    }

    /// Takes room for a batch; returns whether there was room, or `nil` if the batch is not small.
    package mutating func take(_ kind: RoutingKey, targets: Int) -> Bool? {
        guard targets <= self.size, let left = self.kinds[kind] else { return nil }
        guard left > 0, targets <= self.targets else { return false }
        self.kinds[kind] = left - 1
        self.targets -= targets
        return true
    }

    /// Whether there may be more small batches of a routing key beyond the limits.
    package func isExhausted(for kind: RoutingKey) -> Bool {
        self.kinds[kind].map { $0 == 0 || self.targets < self.size } ?? false
    }
}

public struct BatchClaim: Hashable, Sendable {
    /// The leased batches, each with its cursor and the due deferred targets; the oldest first.
    public var batches: [ClaimedBatch] = []

    /// The outcomes of targets whose batches the claim ended: expired, cancelled or corrupt.
    public var ended = OutcomeCounts()

    /// Whether the claim ended early with an error, and may have leased batches that are missing in ``batches``.
    public var mayBeIncomplete = false

    public init() {}
}

extension PushModel.Notification {
    /// Makes sure that batches are those of the notification, and of a size that a store takes.
    package func check(_ batches: [Batch]) throws {
        let isWhole =
            batches.count == self.batchCount
            && batches.reduce(0) { $0 + $1.targets.count } == self.targetCount
            && batches.allSatisfy { $0.notification == self.id && $0.app == self.app }
        guard isWhole else {
            throw StoreError.invalid("The batches are not those of notification \(self.id). Create both with one plan.")
        }
        let areFull = batches.allSatisfy { batch in
            (1...Batch.maximumTargets).contains(batch.targets.count) && batch.payload.fits(targets: batch.targets.count)
        }
        guard areFull, !batches.isEmpty else {
            throw StoreError.invalid(
                "A batch of notification \(self.id) has no or more than \(Batch.maximumTargets) "
                    + "targets, or not a payload for each. Split it with a plan."
            )
        }
    }

    package init(stored row: StoredRow) throws {
        self.init(
            id: NotificationID(try row.apnsID("id", of: "notification")),
            app: try row.identifier("app_id"),
            createdAt: try row.clampedDate("created_at") ?? Date(millisecondsSince1970: 0),
            targetCount: try row.clampedNumber("target_count"),
            batchCount: try row.clampedNumber("batch_count"),
            resendOf: try row.bytes("resend_of").flatMap(APNsID.init(stored:)).map { NotificationID($0) },
            resendThrough: try row.bytes("resend_through").flatMap(APNsID.init(stored:))
        )
    }
}
