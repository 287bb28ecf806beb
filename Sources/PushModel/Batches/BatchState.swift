// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How far a batch has come.
public enum BatchState: Hashable, Sendable {
    /// It waits for a worker.
    ///
    /// Can transition to: `leased` by a claim, `expired` when its time is over, `cancelled`.
    case pending

    /// A worker sends it; when `until` has passed, any worker may claim it and goes on from the cursor.
    ///
    /// Can transition to: `leased` by an extension or another claim after `until`, `pending` when the worker
    /// gives it back, `settled` with the last outcome, `expired` after `until`, `cancelled`.
    case leased(worker: WorkerID, until: Date)

    /// Every target has its outcome. Final.
    case settled

    /// It was called off; the targets from the cursor on were not sent to, as far as was known. Final.
    case cancelled

    /// Its time was over; the targets from the cursor on were not sent to. Final.
    case expired

    /// Whether nothing will be sent any more.
    public var isFinal: Bool {
        switch self {
        case .pending, .leased: false
        case .settled, .cancelled, .expired: true
        }
    }
}
