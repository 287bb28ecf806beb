// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// What `:resend` has sent again of a notification so far: all of its failures up to a place that may pass.
struct Resends {
    /// The notifications that send a part again, the one that begins first before the others.
    private let parts: [PushModel.Notification]

    init(_ parts: [PushModel.Notification]) {
        self.parts = parts
    }

    /// Whether all was sent again, and nothing is left for another call.
    var areComplete: Bool { self.parts.last.map { $0.resendThrough == nil } ?? false }

    /// Up to which failure was sent again; `nil` where none was, or all were.
    var through: APNsID? { self.parts.last?.resendThrough }

    /// The notification by which a failure was sent again; `nil` where none did, or it cannot be.
    ///
    /// Of a campaign or screening, devices that were gone by then were passed over: that is not known of each.
    func resend(of failure: TargetOutcome) -> NotificationID? {
        guard failure.outcome?.isRetryable == true else { return nil }
        return self.parts.first { $0.resendThrough.map { failure.apnsID <= $0 } ?? true }?.id
    }
}

/// How much one call sends again.
package struct ResendLimits: Hashable, Sendable {
    /// How many targets, 1 or more.
    ///
    /// Default: 100,000, as many as a request to send may have.
    package var maximumTargets = NotificationPlan.maximumTargets

    /// How many batches of the old notification they may be of, 1 or more.
    ///
    /// Default: 1,000.
    package var maximumBatches = 1000

    /// How many bytes of payloads, as far as whole batches allow.
    ///
    /// Default: 48 MiB, as many as a batch of notifications with a payload each may have.
    package var maximumPayloadBytes = 48 << 20

    package init() {}
}

/// What of the failures of a notification one call sends again: the first ones that no call before has sent.
struct ResendShare {
    /// The batches with the places of their targets, in the order of the notification.
    private(set) var batches: [(id: BatchID, indices: [Int])] = []

    /// The last failure that it has, where more are left; `nil` when it has all.
    private(set) var through: APNsID?

    private let limits: ResendLimits
    private var count = 0

    init(limits: ResendLimits) {
        self.limits = limits
    }

    /// Adds a failure that may pass; they come in the order of the notification.
    ///
    /// - Returns: `false` when it has no place any more.
    mutating func add(_ failure: APNsID) -> Bool {
        let (batch, index) = BatchID.locate(failure)
        let isNew = self.batches.last?.id != batch
        guard self.count < self.limits.maximumTargets, !isNew || self.batches.count < self.limits.maximumBatches else {
            self.cut(after: self.batches.count)
            return false
        }
        if isNew { self.batches.append((batch, [])) }
        self.batches[self.batches.count - 1].indices.append(index)
        self.count += 1
        return true
    }

    /// Leaves out all but so many batches, at least one: those that are left out are for another call.
    mutating func cut(after count: Int) {
        self.batches.removeSubrange(count...)
        self.through = self.batches.last.flatMap { batch in batch.indices.last.map { batch.id.apnsID(at: $0) } }
    }
}

/// What a caller says of sending a notification again.
struct ResendRequest: Sendable {
    static let members = ["expiration"]

    /// Until when APNs keeps it; `nil` leaves that as it was.
    var expiration: APNsExpiration?
}

extension ResendRequest {
    /// Reads the body of a request; an empty one says nothing.
    init(_ body: [UInt8]) throws(Problem) {
        guard !body.isEmpty else {
            self.init(expiration: nil)
            return
        }
        var expiration: APNsExpiration?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "expiration":
                let seconds: Int64? = try reader.integer(path, in: ContentDraft.expirations)
                expiration = seconds.map(APNsExpiration.init(rawValue:))
            default: try reader.skip()
            }
        } finish: { _ in
            ResendRequest(expiration: expiration)
        }
    }
}
