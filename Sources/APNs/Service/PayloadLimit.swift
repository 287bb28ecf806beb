// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The largest bodies that APNs takes, in bytes; above them it answers 413 `PayloadTooLarge`.
public enum PayloadLimit {
    /// Every push to a device but VoIP.
    public static let device = 4096
    /// VoIP pushes.
    public static let voip = 5120
    /// Broadcasts to a channel.
    public static let broadcast = 5120
}
