// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A rollout as it is stored, with the activity to which it belongs.
///
/// States: 0 running, 1 done, 2 stopped. Audience and progress are JSON, which is only ever read and written whole.
package struct RolloutRow: Sendable {
    package let activity: Int64
    package let activityID: ActivityID
    package let attributesType: AttributesType
    package let appID: AppID
    /// Whether the activity was over when this was read.
    package let isOver: Bool
    package var rollout: ActivityRollout

    /// A rollout of an activity that was not stored before.
    package init(_ rollout: ActivityRollout, of row: ActivityRow) {
        self.activity = row.number
        self.activityID = row.id
        self.attributesType = row.attributesType
        self.appID = row.appID
        self.isOver = row.lifecycle.state.isOver
        self.rollout = rollout
    }

    /// What ``init(stored:)`` reads; conditions on `activity_rollouts`, `activities` and `apps` follow.
    package static let query = """
        SELECT activity_rollouts.*, activities.id AS activity_id, activities.state AS activity_state,
            attributes_type, apps.id AS app_id
        FROM activity_rollouts JOIN activities ON activities.number = activity_rollouts.activity
        JOIN apps ON apps.number = activities.app
        """

    /// Reads the columns of ``query``.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.activity = Int64(try row.number("activity"))
        self.activityID = try row.identifier("activity_id")
        self.attributesType = try row.identifier("attributes_type")
        self.appID = try row.identifier("app_id")
        self.isOver = try row.number("activity_state") >= 2
        guard let id = try RolloutID(stored: row) else { throw StoreError.damaged("rollout") }
        let states = ActivityRollout.State.allCases
        let state = try row.number("state")
        guard states.indices.contains(state) else { throw StoreError.damaged("rollout") }
        self.rollout = ActivityRollout(
            id: id,
            audience: try StoredJSON.decode(Audience.self, try row.string("audience"), "rollout"),
            throttle: try row.integer("throttle").map { Int($0) },
            createdAt: try row.date("created_at"),
            state: states[state],
            progress: try StoredJSON.decode(RolloutProgress.self, try row.string("progress"), "rollout"),
            planner: try row.text("planner").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at"),
            setbacks: try row.number("setbacks")
        )
    }

    /// What the column `state` holds.
    package var storedState: Int { ActivityRollout.State.allCases.firstIndex(of: self.rollout.state) ?? 0 }

    /// What the column `state` holds of one that was given up since it cannot be read.
    package static let storedStopped = 2

    /// What the column `audience` holds.
    package var storedAudience: String { get throws { try StoredJSON.encode(self.rollout.audience) } }

    /// What the column `progress` holds.
    package var storedProgress: String { get throws { try StoredJSON.encode(self.rollout.progress) } }

    /// The rollout as a planner is given it who has claimed it.
    package var claimed: ClaimedRollout {
        ClaimedRollout(
            rollout: self.rollout,
            app: self.appID,
            activity: self.activityID,
            attributesType: self.attributesType
        )
    }
}

extension RolloutID {
    /// Reads the column `id` of the table `activity_rollouts`.
    package init?(stored row: some StoredRow) throws {
        guard let value = APNsID(stored: try row.blob("id")) else { return nil }
        self.init(value)
    }
}
