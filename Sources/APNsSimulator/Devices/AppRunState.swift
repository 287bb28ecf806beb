// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What an app is doing.
public enum AppRunState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is on the screen.
    case foreground
    /// It runs and is not on the screen.
    case background
    /// It is in memory and does not run.
    case suspended
    /// The person swiped it away: it is not launched again before the person opens it.
    case forceQuit
    /// It has not been launched since the device was started, or the system has ended it.
    case notLaunched
}
