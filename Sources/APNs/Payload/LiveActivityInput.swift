// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How an activity that a push starts is to receive its updates (iOS 18 and later).
public enum LiveActivityInput: Hashable, Sendable {
    /// `input-push-token`: it asks for an update token of its own.
    case token
    /// `input-push-channel`: it subscribes to the broadcast channel of this id (base64 text, as APNs gave it).
    case channel(String)
}
