// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a port serves over HTTP/2.
enum ProviderService: Sendable {
    /// Pushes to devices and broadcasts.
    case pushes
    /// The management of broadcast channels.
    case channelManagement
}
