// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle

/// Reads the progress of a campaign in addition to its counts: the rate, and the reason for a delay.
struct CampaignProgressReader: Sendable {
    /// Batches that are due within this time count as being sent: a campaign with a rate limit always waits for a
    /// moment.
    private static let moment: TimeInterval = 5

    typealias Store = OpenCircuitStore & NotificationStore

    let store: any Store
    let now: @Sendable () -> Date
    private let meter = SendRateEstimator()

    /// How fast a campaign goes: of late, or on average where it was not looked at shortly before.
    func ratePerSecond(_ status: CampaignStatus) -> Double? {
        let now = self.now()
        return self.meter.perSecond(status, now: now) ?? status.perSecond(now: now)
    }

    /// Returns the open circuits that block a running campaign.
    func blockedBy(_ status: CampaignStatus) async throws -> [OpenCircuit] {
        guard status.lifecycle.state == .running, status.inFlight > 0 else { return [] }
        return try await self.store.pauses(holdingUp: status.campaign.id.notification, now: self.now())
    }

    /// Returns the time until which APNs deferred all remaining targets of a campaign, or of the current phase of a
    /// token validation.
    func deferral(_ status: CampaignStatus) async throws -> Date? {
        guard status.lifecycle.state == .running, status.lifecycle.plan?.isWaitingForOutcomes == true,
            status.inFlight > 0
        else { return nil }
        let soon = self.now().addingTimeInterval(Self.moment)
        return try await self.store.nextTurn(of: status.campaign.id.notification, after: soon)
    }

    /// How far a campaign has come, as returned by the API.
    func progress(_ status: CampaignStatus) async throws -> ProgressResponse {
        ProgressResponse(
            status,
            ratePerSecond: self.ratePerSecond(status),
            now: self.now(),
            blockedBy: try await self.blockedBy(status),
            deferredUntil: try await self.deferral(status)
        )
    }
}

/// Streams the progress of a campaign as server-sent events, until it will not change again.
struct CampaignProgressStream: Sendable {
    let store: any CampaignStore
    let reader: CampaignProgressReader
    let clock: any Clock<Duration>
    let interval: Duration

    /// Returns why the stream must end; `nil` while it may continue.
    let refusal: @Sendable () async -> Problem?

    /// Writes an event of the type `progress` immediately and after each interval; `end` follows the last one.
    ///
    /// Ends early, without `end`, if the server stops, the client disconnects, or its key is no longer valid. It has
    /// `share` until then.
    func body(of id: CampaignID, within share: CallShares.Share) -> ResponseBody {
        .stream { writer in
            defer { withExtendedLifetime(share) {} }
            while !Task.isShuttingDownGracefully, await self.refusal() == nil,
                let status = try await self.store.campaign(id)
            {
                let body = try JSONResponseEncoder.bytes(try await self.reader.progress(status))
                try await writer.write(Self.event("progress", body))
                if status.isCompleted {
                    try await writer.write(Self.event("end", Array("{}".utf8)))
                    break
                }
                let wait: Void? = try? await cancelWhenGracefulShutdown {
                    try await self.clock.sleep(for: self.interval)
                }
                if wait == nil { break }
            }
            try await writer.finish(nil)
        }
    }

    private static func event(_ name: String, _ data: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}

/// How far a campaign has come, as returned by the API.
struct ProgressResponse: Encodable {
    struct Wave: Encodable {
        let number: Int
        let count: Int
        let due: Date
    }

    let state: String
    let reason: String?
    let total: Int?
    let enqueued: Int
    let inFlight: Int
    let remaining: Int?
    let attempted: Int
    let counts: CountsResponse
    let wave: Wave?

    /// Recent outcomes per second; `nil` if unknown.
    let ratePerSecond: Double?

    /// `nil` if the rate or the current time is unknown, and while all remaining targets are deferred.
    let remainingSeconds: Double?

    let blockedBy: [OpenCircuitResponse]?

    /// The end of the wait if all remaining targets wait; otherwise `nil`.
    let deferredUntil: Date?

    let isCompleted: Bool

    init(
        _ status: CampaignStatus,
        ratePerSecond: Double? = nil,
        now: Date? = nil,
        blockedBy pauses: [OpenCircuit] = [],
        deferredUntil: Date? = nil
    ) {
        self.state = status.lifecycle.state.name
        self.reason = if case .failed(let reason) = status.lifecycle.state { reason } else { nil }
        let plan = status.lifecycle.plan
        self.total = plan?.expected
        self.enqueued = status.enqueued
        self.inFlight = status.inFlight
        self.remaining = status.remaining
        // Wraps around only where the stored counts are damaged.
        self.attempted = status.counts.delivered &+ status.counts.totalRejected
        self.counts = CountsResponse(status.counts)
        self.wave = plan.flatMap { plan in
            plan.currentWave.map { Wave(number: $0 + 1, count: plan.waves.count, due: plan.waves[$0].due) }
        }
        self.isCompleted = status.isCompleted
        self.blockedBy = pauses.isEmpty ? nil : pauses.map { OpenCircuitResponse($0) }
        self.ratePerSecond = ratePerSecond.map { ($0 * 10).rounded() / 10 }
        self.deferredUntil = deferredUntil
        if let remaining = status.remaining, let ratePerSecond, ratePerSecond > 0, deferredUntil == nil, let now,
            status.isUnderWayToItsEnd(now: now)
        {
            self.remainingSeconds = (Double(remaining) / ratePerSecond * 10).rounded() / 10
        } else {
            self.remainingSeconds = nil
        }
    }
}
