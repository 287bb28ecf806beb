// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The resends of a notification so far: all of its retryable failures up to a position.
struct ResendHistory {
    /// The notifications that send a part again, the one that begins first before the others.
    private let parts: [PushModel.Notification]

    init(_ parts: [PushModel.Notification]) {
        self.parts = parts
    }

    /// Whether all was sent again, and nothing is left for another call.
    var areComplete: Bool { self.parts.last.map { $0.resendThrough == nil } ?? false }

    /// Up to which failure was sent again; `nil` where none was, or all were.
    var through: APNsID? { self.parts.last?.resendThrough }

    /// Returns the notification that resent a failure; `nil` if none did, or it is not retryable.
    ///
    /// For a campaign or token validation, devices that no longer existed were skipped, which is not known for each
    /// failure.
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
    package var maximumTargets = BatchedNotification.maximumTargets

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

/// The failures that one resend covers: the first ones that no earlier resend covered.
struct ResendSelection {
    /// The batches with the places of their targets, in the order of the notification.
    private(set) var batches: [(id: BatchID, indices: [Int])] = []

    /// The last failure that it has, where more are left; `nil` when it has all.
    private(set) var through: APNsID?

    private let limits: ResendLimits
    private var count = 0

    init(limits: ResendLimits) {
        self.limits = limits
    }

    /// Adds a retryable failure; they are added in the order of the notification.
    ///
    /// - Returns: `false` if the limit is reached.
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

    /// Keeps at most this number of batches, at least one; another resend covers the others.
    mutating func cut(after count: Int) {
        self.batches.removeSubrange(count...)
        self.through = self.batches.last.flatMap { batch in batch.indices.last.map { batch.id.apnsID(at: $0) } }
    }
}

/// A request to resend a notification.
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
                let seconds: Int64? = try reader.integer(path, in: ContentParser.expirations)
                expiration = seconds.map(APNsExpiration.init(rawValue:))
            default: try reader.skip()
            }
        } finish: { _ in
            ResendRequest(expiration: expiration)
        }
    }
}
