// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A phone of an activity as it is stored, with what was sent to it last.
struct ParticipantRow: Sendable {
    let number: Int64
    var participant: ActivityParticipant

    /// The batch by which it was sent something last; `nil` when that is known to have come to its end.
    var batch: BatchID?

    /// Its place in that batch.
    var position = 0

    /// Whether a push may start the activity on it that has done so before: it is gone, or that push came to nothing.
    var canBeInvited: Bool {
        switch self.participant.state {
        case .gone: true
        case .invited: self.batch == nil
        case .active: false
        }
    }

    /// The activity's number.
    var activity: Int64 { ParticipantNumber.activity(of: self.number) }
}

extension ParticipantRow {
    /// Reads the columns of the table `activity_participants`.
    ///
    /// A phone that cannot be read is gone, so that it keeps no other from being sent to; it is back when its app tells a
    /// token.
    /// - Throws: ``StoreError`` `.corrupt` when not even its number can be read.
    init(stored row: some StoredRow) throws {
        self.number = try row.int64("number")
        let participant = try row.readable(in: "activity_participants") { try ActivityParticipant(stored: $0) }
        if let participant {
            self.participant = participant
        } else {
            self.participant = ActivityParticipant(
                installation: try row.text("installation").flatMap { InstallationID(rawValue: $0) }
                    ?? ActivityParticipant.channelInstallation,
                environment: .production,
                token: nil,
                state: .gone(reason: FailureCode.corrupt.rawValue),
                origin: .app,
                sentVersion: 0,
                joinedAt: try row.clampedDate("joined_at") ?? Date(millisecondsSince1970: 0)
            )
        }
        self.batch = try row.bytes("batch").flatMap { APNsID(stored: $0).flatMap(BatchID.init) }
        self.position =
            try row.readable(in: "activity_participants") {
                try $0.number("position", in: 0...Batch.maximumTargets)
            } ?? 0
    }
}

/// A phone that waits for the outcome of what is on its way to it.
struct WaitingPush: Hashable, Sendable {
    let batch: BatchID
    let position: Int
    let participant: Int64
}
