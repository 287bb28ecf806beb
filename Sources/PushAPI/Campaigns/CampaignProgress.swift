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
    func perSecond(_ status: CampaignStatus) -> Double? {
        let now = self.now()
        return self.meter.perSecond(status, now: now) ?? status.perSecond(now: now)
    }

    /// Returns the open circuits that block a running campaign.
    func waitingFor(_ status: CampaignStatus) async throws -> [OpenCircuit] {
        guard status.lifecycle.state == .running, status.underWay > 0 else { return [] }
        return try await self.store.pauses(holdingUp: status.campaign.id.notification, now: self.now())
    }

    /// Returns the time until which APNs deferred all remaining targets of a campaign, or of the current phase of a
    /// token validation.
    func deferral(_ status: CampaignStatus) async throws -> Date? {
        guard status.lifecycle.state == .running, status.lifecycle.plan?.isWaitingForOutcomes == true,
            status.underWay > 0
        else { return nil }
        let soon = self.now().addingTimeInterval(Self.moment)
        return try await self.store.nextTurn(of: status.campaign.id.notification, after: soon)
    }

    /// How far a campaign has come, as returned by the API.
    func progress(_ status: CampaignStatus) async throws -> ProgressResponse {
        ProgressResponse(
            status,
            perSecond: self.perSecond(status),
            now: self.now(),
            waitingFor: try await self.waitingFor(status),
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
    /// Ends early, without `end`, if the server stops, the client disconnects, or its key is no longer valid.
    func body(of id: CampaignID) -> ResponseBody {
        .stream { writer in
            while !Task.isShuttingDownGracefully, await self.refusal() == nil,
                let status = try await self.store.campaign(id)
            {
                let body = try JSONResponseEncoder.bytes(try await self.reader.progress(status))
                try await writer.write(Self.event("progress", body))
                if status.isSettled {
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
    let expected: Int?
    let planned: Int
    let underWay: Int
    let remaining: Int?
    let sent: Int
    let counts: CountsResponse
    let wave: Wave?

    /// Recent outcomes per second; `nil` if unknown.
    let perSecond: Double?

    /// `nil` if the rate or the current time is unknown, and while all remaining targets are deferred.
    let secondsLeft: Double?

    let waitingFor: [OpenCircuitResponse]?

    /// The end of the wait if all remaining targets wait; otherwise `nil`.
    let deferredUntil: Date?

    let isSettled: Bool

    init(
        _ status: CampaignStatus,
        perSecond: Double? = nil,
        now: Date? = nil,
        waitingFor pauses: [OpenCircuit] = [],
        deferredUntil: Date? = nil
    ) {
        self.state = status.lifecycle.state.name
        self.reason = if case .failed(let reason) = status.lifecycle.state { reason } else { nil }
        let plan = status.lifecycle.plan
        self.expected = plan?.expected
        self.planned = status.planned
        self.underWay = status.underWay
        self.remaining = status.remaining
        // Wraps around only where the stored counts are damaged.
        self.sent = status.counts.delivered &+ status.counts.totalRejected
        self.counts = CountsResponse(status.counts)
        self.wave = plan.flatMap { plan in
            plan.currentWave.map { Wave(number: $0 + 1, count: plan.waves.count, due: plan.waves[$0].due) }
        }
        self.isSettled = status.isSettled
        self.waitingFor = pauses.isEmpty ? nil : pauses.map { OpenCircuitResponse($0) }
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
