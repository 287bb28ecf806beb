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
    /// Can transition to: `leased` by a claim, `expired` when its time is over, `paused`, `cancelled`.
    case pending

    /// A worker sends it; when `until` has passed, any worker may claim it and goes on from the cursor.
    ///
    /// Can transition to: `leased` by an extension or another claim after `until`, `pending` or `waiting` when the
    /// worker gives it back, `settled` with the last outcome, `expired`, `failed`; `paused` and `cancelled` when it was
    /// halted meanwhile and the worker gives it back, or its lease lapsed.
    case leased(worker: WorkerID, until: Date)

    /// Nobody may claim it before `until`: what is left of it is to be sent later.
    ///
    /// Can transition to: `leased` by a claim after `until`, `expired` when its time is over, `paused`, `cancelled`.
    case waiting(until: Date)

    /// Nobody may claim it until it is resumed.
    ///
    /// Can transition to: `pending` or `waiting` when it is resumed, `cancelled`.
    case paused

    /// Every target has its outcome. Final.
    case settled

    /// It was called off; the targets that are left were not sent to, as far as was known. Final.
    case cancelled

    /// Its time was over; the targets that are left were not sent to. Final.
    case expired

    /// It could not be carried out, for this reason; the targets that are left came to that. Final.
    case failed(FailureCode)

    /// Whether nothing will be sent any more.
    public var isFinal: Bool {
        switch self {
        case .pending, .leased, .waiting, .paused: false
        case .settled, .cancelled, .expired, .failed: true
        }
    }
}
