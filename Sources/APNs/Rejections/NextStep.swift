// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What to do after APNs said no.
public enum NextStep: Hashable, Sendable {
    /// Send again at once, on a fresh connection or with a fresh provider token as the reason asks.
    case retryNow
    /// Send again, not before this long; wait longer each time after that.
    case retryLater(after: Duration)
    /// Do not send it again; nothing about the token or the credential is wrong in general.
    case never
    /// The token is dead: forget it, unless the device registered again since.
    case pruneToken
    /// The token is malformed or of the other environment: stop using it here, and find out.
    case suspectToken
    /// The key, the certificate or the App ID has to be put right first; every other push would fail as well.
    case fixCredential
    /// The request itself is wrong; send it again only after changing it.
    case fixRequest
}
