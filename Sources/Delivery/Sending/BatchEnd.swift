// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient

/// How the sending of a batch ended.
enum BatchEnd: Hashable, Sendable {
    /// Every target has its outcome.
    case settled

    /// The service is shutting down: others may go on at once.
    case stopped

    /// A destination cannot be reached; with the client's words, or `nil` when it was known to be out.
    case outage(APNsDestination, message: String?)

    /// Another worker has the batch, or it was called off.
    case leaseLost

    /// The store failed; the batch is claimed again when its lease lapses.
    case abandoned
}
