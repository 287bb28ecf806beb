// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
import Logging
package import PushModel

/// The mutable part of a batch, with the keys of the rest.
package struct BatchRow: Sendable {
    package let id: BatchID
    package let notification: NotificationID
    package let ordinal: Int
    package let app: Int64
    package let lane: Lane
    package let createdAt: Date
    /// Whether it is sent to devices of Live Activities, which may wait for its outcome.
    package let isActivity: Bool
    package var lifecycle: BatchLifecycle
    package var delivered: Int

    package init(stored row: StoredRow) throws {
        let worker = try row.text("worker").flatMap { WorkerID(rawValue: $0) }
        let lifecycle = BatchLifecycle(
            state: try BatchState(stored: row, worker: worker),
            cursor: try row.number("next_target"),
            deferred: try decodeStored("deferred targets") { try row.bytes("deferred").map(DeferralList.decode) } ?? [],
            targetCount: try row.number("target_count"),
            expiresAt: try row.clampedDate("expires_at"),
            lastWorker: worker,
            setbacks: try row.number("setbacks", in: StoredLimit.counts),
            halt: try row.optionalNumber("halt").map { StopRequest(stored: $0) },
            held: .milliseconds(try row.number("held")),
            interruptions: Interruptions(try row.number("interrupted"))
        )
        guard
            (1...Batch.maximumTargets).contains(lifecycle.targetCount),
            (0...lifecycle.targetCount).contains(lifecycle.cursor),
            lifecycle.deferred.last.map({ $0.index < lifecycle.cursor }) ?? true,
            lifecycle.deferred.allSatisfy({ StoredLimit.holds($0.notBefore) })
        else { throw StoreError.damaged("progress of a batch") }
        self.id = try row.batchID("id", of: "batch")
        self.notification = NotificationID(try row.apnsID("notification", of: "batch"))
        self.ordinal = try row.number("ordinal", in: StoredLimit.counts)
        self.app = try row.int64("app")
        self.lane = Lane(stored: try row.number("lane"))
        self.createdAt = try row.date("created_at")
        self.isActivity = try row.number("is_activity") == 1
        self.delivered = try row.number("delivered", in: 0...Batch.maximumTargets)
        self.lifecycle = lifecycle
    }

    package var storedDeferred: [UInt8]? {
        self.lifecycle.deferred.isEmpty ? nil : DeferralList.encode(self.lifecycle.deferred)
    }
}

extension [BatchRow] {
    /// The status of each batch; `counts` are the rows of the table `batch_counts` for all of them, in any order.
    package func statuses(counts rows: [StoredRow]) throws -> [BatchStatus] {
        let rows = try Dictionary(grouping: rows) { try $0.blob("batch") }
        return try self.map { batch in
            var counts = OutcomeCounts(delivered: batch.delivered)
            for row in rows[batch.id.value.stored] ?? [] { try counts.add(stored: row) }
            return BatchStatus(id: batch.id, ordinal: batch.ordinal, lifecycle: batch.lifecycle, counts: counts)
        }
    }
}

extension BatchState {
    package static let failedNumber = 6

    fileprivate init(stored row: StoredRow, worker: WorkerID?) throws {
        switch (try row.number("state"), worker) {
        case (0, _): self = .pending
        case (1, let worker?): self = .leased(worker: worker, until: try row.date("claimable_at"))
        case (2, _): self = .waiting(until: try row.date("claimable_at"))
        case (3, _): self = .settled
        case (4, _): self = .cancelled
        case (5, _): self = .expired
        case (Self.failedNumber, _):
            self = .failed(FailureCode(rawValue: try row.text("failure") ?? FailureCode.corrupt.rawValue))
        case (7, _): self = .paused
        default: throw StoreError.damaged("state of a batch")
        }
    }

    /// The number in which it is stored; those below 3, and 7, are not final.
    package var number: Int {
        switch self {
        case .pending: 0
        case .leased: 1
        case .waiting: 2
        case .settled: 3
        case .cancelled: 4
        case .expired: 5
        case .failed: Self.failedNumber
        case .paused: 7
        }
    }

    /// From when the batch may be claimed, in milliseconds since 1970; 0 means from the beginning, and `nil` never.
    package var claimableAt: Int64? {
        switch self {
        case .pending: 0
        case .leased(_, let until), .waiting(let until): until.millisecondsSince1970
        case .paused, .settled, .cancelled, .expired, .failed: nil
        }
    }

    package var failure: String? {
        if case .failed(let code) = self { code.rawValue } else { nil }
    }
}

extension StopRequest {
    package var stored: Int { self == .pause ? 1 : 2 }

    fileprivate init(stored number: Int) { self = number == 1 ? .pause : .cancel }
}

/// The part of a batch that never changes.
package struct BatchContent: Sendable {
    package let headers: NotificationHeaders
    package let payload: BatchPayload
    package let targets: TargetList

    package init(stored row: StoredRow, targetCount: Int) throws {
        let encoded = try row.openedBlob("payload")
        guard let topic = Topic(rawValue: try row.string("topic")), let payload = try? BatchPayload(encoded: encoded)
        else { throw StoreError.damaged("content of a batch") }
        var headers = NotificationHeaders(topic: topic, pushType: PushType(rawValue: try row.string("push_type")))
        headers.priority = try row.optionalNumber("priority").map { Priority(rawValue: $0) }
        headers.expiration = try row.integer("expiration").map { APNsExpiration(rawValue: $0) }
        headers.collapseID = try row.text("collapse_id").flatMap { CollapseID(rawValue: $0) }
        // A push to a device on which an activity runs has a suffix in its topic; a broadcast has none.
        headers.isBroadcast = headers.pushType == .liveactivity && topic.bundleID(for: .liveactivity) == nil
        self.headers = headers
        self.payload = payload
        self.targets = try Self.targets(stored: row, count: targetCount)
        guard payload.fits(targets: targetCount) else { throw StoreError.damaged("payloads of a batch") }
    }

    package static func targets(stored row: StoredRow, count: Int) throws -> TargetList {
        let targets = try decodeStored("targets of a batch") { try TargetList(encoded: row.openedBlob("targets")) }
        guard targets.count == count else { throw StoreError.damaged("list of a batch's targets") }
        return targets
    }
}

extension Batch {
    package init(stored row: BatchRow, app: AppID, content: BatchContent) {
        self.init(
            id: row.id,
            notification: row.notification,
            ordinal: row.ordinal,
            app: app,
            lane: row.lane,
            headers: content.headers,
            payload: content.payload,
            targets: content.targets,
            createdAt: row.createdAt,
            expiresAt: row.lifecycle.expiresAt
        )
    }
}

extension RoutingKey {
    package init(stored row: StoredRow) throws {
        self.init(
            app: try row.identifier("app_id"),
            environments: Set(stored: try row.number("environments")),
            pushType: PushType(rawValue: try row.string("push_type"))
        )
    }
}

public struct SettlementResult: Hashable, Sendable {
    /// Whether the slice had been settled before; then nothing else changed.
    public let wasRepeated: Bool
    public let batchSettled: Bool
    public let notificationSettled: Bool
    public let pruned: Int
    public let suspected: Int

    public init(
        wasRepeated: Bool = false,
        batchSettled: Bool = false,
        notificationSettled: Bool = false,
        pruned: Int = 0,
        suspected: Int = 0
    ) {
        self.wasRepeated = wasRepeated
        self.batchSettled = batchSettled
        self.notificationSettled = notificationSettled
        self.pruned = pruned
        self.suspected = suspected
    }
}

extension Settlement {
    /// Checks that the settlement is valid for a batch with this number of targets.
    package func check(targetCount: Int) throws {
        guard self.range.lowerBound >= 0, self.range.upperBound <= targetCount else {
            throw StoreError.invalid(
                "Invalid settlement of batch \(self.batch): expected a range of its \(targetCount) targets, got "
                    + "\(self.range)."
            )
        }
        let resent = Set(self.resent.map(\.index))
        let open = self.failures.map(\.index) + self.deferrals.map(\.index)
        guard Set(open).count == open.count, open.allSatisfy({ self.range.contains($0) || resent.contains($0) }) else {
            throw StoreError.invalid(
                "Invalid settlement of batch \(self.batch): a failure or deferral is outside of targets \(self.range) "
                    + "and of the retried targets, or listed twice."
            )
        }
        let areOrdered = [self.resent, self.deferrals].allSatisfy { deferrals in
            zip(deferrals, deferrals.dropFirst()).allSatisfy { $0.index < $1.index }
        }
        guard areOrdered else {
            throw StoreError.invalid(
                "Invalid settlement of batch \(self.batch): the deferrals are out of order. Sort them by index."
            )
        }
        guard self.failures.allSatisfy({ $0.outcome != .delivered }) else {
            throw StoreError.invalid(
                "Invalid settlement of batch \(self.batch): a failure has the outcome 'delivered'. Remove it."
            )
        }
    }
}

extension Outcome {
    fileprivate static let rejectedKind = 1
    fileprivate static let failedKind = 2

    /// The values of the columns `kind`, `name`, `status` and `inactive_since`; `nil` for `delivered`, which is not
    /// stored.
    package var stored: (kind: Int, name: String, status: Int?, inactiveSince: Int64?)? {
        switch self {
        case .delivered: nil
        case .rejected(let rejection):
            (Self.rejectedKind, rejection.reason.rawValue, rejection.status, rejection.inactiveSince)
        case .failed(let code): (Self.failedKind, code.rawValue, nil, nil)
        }
    }

    package init(stored row: StoredRow) throws {
        let name = try row.string("name")
        if try row.number("kind") == Self.rejectedKind {
            self = .rejected(
                Rejection(
                    status: try row.optionalNumber("status") ?? 0,
                    reason: RejectionReason(rawValue: name),
                    inactiveSince: try row.integer("inactive_since").map(StoredLimit.clamp)
                )
            )
        } else {
            self = .failed(FailureCode(rawValue: name))
        }
    }
}

extension OutcomeCounts {
    /// The counts as rows, without zeros; the batch itself has the count of delivered targets.
    package var stored: [(kind: Int, name: String, count: Int)] {
        let rejected = self.rejected.map { (kind: Outcome.rejectedKind, name: $0.key.rawValue, count: $0.value) }
        let failed = self.failed.map { (kind: Outcome.failedKind, name: $0.key.rawValue, count: $0.value) }
        return (rejected + failed).filter { $0.count > 0 }
    }

    package mutating func add(stored row: StoredRow) throws {
        let (name, count) = (try row.string("name"), try row.number("count", in: StoredLimit.sums))
        if try row.number("kind") == Outcome.rejectedKind {
            self.rejected[RejectionReason(rawValue: name), default: 0] += count
        } else {
            self.failed[FailureCode(rawValue: name), default: 0] += count
        }
    }
}
