// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which of the two queues a batch waits in; urgent work never waits behind bulk.
public enum Lane: String, Hashable, Sendable, Codable, CaseIterable {
    /// Direct sends and Live Activities: sent at once.
    case urgent

    /// Campaigns and screenings: sent with the capacity that urgent work leaves.
    case bulk
}
