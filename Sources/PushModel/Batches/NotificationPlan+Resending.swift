// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension NotificationPlan {
    /// Plans to send a notification again to some of its targets: one batch for each of the old ones that has any.
    ///
    /// Everything that is not named here stays as it was: lane, headers, payload, the order of the targets.
    /// - Parameters:
    ///   - notification: the old notification.
    ///   - parts: its batches, each with the indices of the targets to send to, in their order; at least one in all.
    ///   - through: the last of these targets, where more failed than are sent to again at once; `nil` when none is left.
    ///   - expiration: until when APNs keeps it, in the place of the old time; `nil` keeps that.
    ///   - expiresAt: the time from which nothing more is sent, or `nil`.
    ///   - now: when the request is accepted.
    /// - Throws: `ValidationFailure` for the field `targets` when there are none.
    public init(
        resending notification: Notification,
        _ parts: [(batch: Batch, indices: [Int])],
        through: APNsID? = nil,
        expiration: APNsExpiration? = nil,
        expiresAt: Date? = nil,
        now: Date
    ) throws(ValidationFailure) {
        let parts = parts.filter { !$0.indices.isEmpty }.map { batch, indices in
            var headers = batch.headers
            if let expiration { headers.expiration = expiration }
            return Part(
                lane: batch.lane,
                headers: headers,
                payload: batch.payload.selecting(indices),
                targets: TargetList(indices.lazy.map { batch.targets[$0] }),
                expiresAt: expiresAt
            )
        }
        guard !parts.isEmpty else {
            throw ValidationFailure(field: "targets", rule: "at least one target to send to again", value: "none")
        }
        var generator = SystemRandomNumberGenerator()
        self.init(
            app: notification.app,
            parts: parts,
            now: now,
            resendOf: notification.id,
            through: through,
            using: &generator
        )
    }
}

extension Batch {
    /// The batch with some of its targets alone, in the order of their indices: the others take no memory any more.
    public func selecting(_ indices: [Int]) -> Batch {
        Batch(
            id: self.id,
            notification: self.notification,
            ordinal: self.ordinal,
            app: self.app,
            lane: self.lane,
            headers: self.headers,
            payload: self.payload.selecting(indices),
            targets: TargetList(indices.lazy.map { self.targets[$0] }),
            createdAt: self.createdAt,
            expiresAt: self.expiresAt
        )
    }
}
