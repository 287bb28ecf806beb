// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How far a campaign has come, as it is written.
struct ProgressBody: Encodable {
    struct Wave: Encodable {
        let number: Int
        let count: Int
        let due: Date
    }

    let state: String
    let reason: String?
    let expected: Int?
    let planned: Int
    let underWay: Int
    let remaining: Int?
    let sent: Int
    let counts: CountsBody
    let wave: Wave?
    let perSecond: Double?
    let secondsLeft: Double?
    let waitingFor: [PauseBody]?
    let deferredUntil: Date?
    let isSettled: Bool

    /// - Parameters:
    ///   - status: how far the campaign has come.
    ///   - perSecond: how many outcomes there were in a second of late; `nil` when that is not known.
    ///   - now: the time, by which waves are still to come; without one no time left is told.
    ///   - pauses: what stands in the way of sending.
    ///   - deferredUntil: until when all that is left waits, if all of it does: then no time left is told.
    init(
        _ status: CampaignStatus,
        perSecond: Double? = nil,
        now: Date? = nil,
        waitingFor pauses: [DeliveryPause] = [],
        deferredUntil: Date? = nil
    ) {
        self.state = status.lifecycle.state.name
        self.reason = if case .failed(let reason) = status.lifecycle.state { reason } else { nil }
        let plan = status.lifecycle.plan
        self.expected = plan?.expected
        self.planned = status.planned
        self.underWay = status.underWay
        self.remaining = status.remaining
        self.sent = status.counts.delivered + status.counts.totalRejected
        self.counts = CountsBody(status.counts)
        self.wave = plan.flatMap { plan in
            plan.currentWave.map { Wave(number: $0 + 1, count: plan.waves.count, due: plan.waves[$0].due) }
        }
        self.isSettled = status.isSettled
        self.waitingFor = pauses.isEmpty ? nil : pauses.map { PauseBody($0) }
        self.perSecond = perSecond.map { ($0 * 10).rounded() / 10 }
        self.deferredUntil = deferredUntil
        if let remaining = status.remaining, let perSecond, perSecond > 0, deferredUntil == nil, let now,
            status.isUnderWayToItsEnd(now: now)
        {
            self.secondsLeft = (Double(remaining) / perSecond * 10).rounded() / 10
        } else {
            self.secondsLeft = nil
        }
    }
}
