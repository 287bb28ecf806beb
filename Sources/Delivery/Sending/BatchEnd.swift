// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why the processing of a claimed batch ended.
package enum BatchEnd: String, CaseIterable, Hashable, Sendable {
    /// Every target has its outcome.
    case settled

    /// Some targets are deferred.
    case deferred

    /// The service is shutting down; other workers can claim the batch at once.
    case stopped

    /// A caller paused or cancelled it.
    case halted

    /// All of its circuits are open.
    case paused

    /// Another worker claimed the batch, or it was cancelled.
    case leaseLost = "lease_lost"

    /// The processing failed and is retried later.
    case setBack = "set_back"

    /// The processing failed too often, so the batch failed.
    case failed

    /// The store is unreachable; the batch is claimed again when its lease expires.
    case abandoned
}
