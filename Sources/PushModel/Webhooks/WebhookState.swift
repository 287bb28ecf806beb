// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether a webhook's receiver is sent to.
public enum WebhookState: Hashable, Sendable {
    /// Why a webhook was disabled.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The receiver answered 410: it is gone.
        case gone

        /// The receiver failed for too long.
        case failing
    }

    /// Events are sent as they come.
    ///
    /// Can transition to: `paused` by its owner, `disabled` by its receiver.
    case active

    /// Its owner stopped it; it keeps its place in the feed.
    ///
    /// Can transition to: `active` by its owner.
    case paused

    /// The server stopped it; it keeps its place in the feed.
    ///
    /// Can transition to: `active` and `paused` by its owner.
    case disabled(reason: Reason, since: Date)
}
