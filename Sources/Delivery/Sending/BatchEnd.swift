// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How the sending of a batch ended for now.
package enum BatchEnd: String, CaseIterable, Hashable, Sendable {
    /// Nothing more is to be sent: every target has its outcome.
    case settled

    /// Some targets are to be sent to later.
    case deferred

    /// The service is shutting down: others may go on at once.
    case stopped

    /// It was halted: paused or called off by someone.
    case halted

    /// Where all of it goes, sending is paused.
    case paused

    /// Another worker has the batch, or it was called off.
    case leaseLost = "lease_lost"

    /// The batch could not be carried out and is tried again later.
    case setBack = "set_back"

    /// The batch could not be carried out time and again: it has failed.
    case failed

    /// The store cannot be reached; the batch is claimed again when its lease lapses.
    case abandoned
}
