// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import Foundation

/// What the Lock Screen shows of a lesson.
struct IVENTActivityAttributes: ActivityAttributes, Sendable {
    struct ContentState: Codable, Hashable, Sendable {
        var childName: String
        var scheduleTitle: String
        var endTime: Date
        /// `active`, `ending` or `ended`.
        var status: String
    }

    /// The ID of the lesson, which is also the ID of the activity at Apus.
    var scheduleId: String
    var childId: String
    var academyName: String
}
