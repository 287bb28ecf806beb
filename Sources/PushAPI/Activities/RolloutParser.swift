// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Parses the audience on which an activity is started.
struct RolloutParser: Sendable {
    static let members = ["topic", "audience", "ratePerSecond"]
    private var topic: Audience?
    private var audience: Audience?
    private var ratePerSecond: Int?
    private var named: Set<String> = []

    /// Parses the value of a member, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        self.named.insert(member)
        switch member {
        case "topic": self.topic = try reader.string(path, bytes: 1...128).map { .topic($0) }
        case "audience": self.audience = try reader.audience(path)
        default: self.ratePerSecond = try reader.integer(path, in: Campaign.rateLimits)
        }
    }

    /// Whether devices are named.
    var isThere: Bool { self.named.contains("topic") || self.named.contains("audience") }

    /// Records errors about combinations of members.
    func check(_ reader: inout JSONReader) {
        if self.named.isSuperset(of: ["topic", "audience"]) {
            reader.faults.add(.root, expected: "at most one of the members 'topic', 'audience'", got: "both")
        }
        guard self.named.contains("ratePerSecond"), !self.isThere else { return }
        reader.faults.add(
            FieldPath.root.member("ratePerSecond"),
            expected: "a rate together with 'topic' or 'audience'",
            got: "one without them"
        )
    }

    /// The rollout that is asked for; `nil` where there is none.
    func rollout(now: Date) -> ActivityRollout? {
        (self.audience ?? self.topic).map { ActivityRollout(audience: $0, ratePerSecond: self.ratePerSecond, now: now) }
    }
}

extension RolloutStore {
    /// Makes sure that an activity may have one more rollout.
    ///
    /// - Throws: ``Problem`` `.activityLimitExceeded`; `StoreError`.
    func checkRoom(forRolloutOf activity: ActivityID, app: AppID) async throws {
        let running = try await self.rollouts(of: activity, app: app).count { $0.state == .running }
        guard running < ActivityLimit.rollouts else {
            throw Problem(.tooMany("rollouts under way", limit: ActivityLimit.rollouts))
        }
    }
}

/// How far an activity is started on the devices of an audience, as returned by the API.
struct RolloutResponse: Encodable {
    /// Of the devices that were looked at, those that are not sent a start.
    struct Skipped: Encodable {
        let withoutToken: Int
        let alreadyParticipating: Int
        let otherEnvironment: Int
    }

    let id: RolloutID
    let audience: JSONValue
    let ratePerSecond: Int?
    let state: String
    let reason: String?
    let total: Int?
    let startsSent: Int
    let skipped: Skipped
    let remaining: Int?
    let createdAt: Date
    let endedAt: Date?

    init(_ rollout: ActivityRollout) {
        let progress = rollout.progress
        self.id = rollout.id
        self.audience = rollout.audience.json
        self.ratePerSecond = rollout.ratePerSecond
        self.state = rollout.state.rawValue
        self.reason = progress.reason
        self.total = progress.expected
        self.startsSent = progress.counts.startsSent
        self.skipped = Skipped(
            withoutToken: progress.counts.withoutToken,
            alreadyParticipating: progress.counts.alreadyParticipating,
            otherEnvironment: progress.counts.otherEnvironment
        )
        self.remaining = progress.remaining
        self.createdAt = rollout.createdAt
        self.endedAt = progress.endedAt
    }
}
