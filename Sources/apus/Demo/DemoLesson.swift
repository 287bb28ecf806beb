// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// A lesson at an academy, as a parent's phone shows it: who, what, until when, and how it stands.
struct DemoLesson: Sendable {
    static let app = "com.example.ivent"
    static let appName = "iVent"
    static let type = "IVENTActivityAttributes"
    static let phone = "parent-iphone"

    /// The app's `ContentState`; a `Date` is decoded from the seconds since 2001.
    static let stateShape: JSONValue = [
        "type": "object",
        "properties": [
            "childName": ["type": "string"], "scheduleTitle": ["type": "string"], "endTime": ["type": "date"],
            "status": ["type": "string"],
        ],
    ]

    static let attributesShape: JSONValue = [
        "type": "object",
        "properties": ["childId": ["type": "string"], "academyName": ["type": "string"]],
    ]

    static let attributes: JSONValue = ["childId": "child-7", "academyName": "Hanbit Academy"]

    /// The name by which the app and the backend know it.
    let id: String

    /// When it is over.
    var endsAt: Date

    /// What the phone shows.
    func state(_ status: String) -> JSONValue {
        [
            "childName": "Minjun", "scheduleTitle": "Mathematics", "endTime": .integer(self.endTime),
            "status": .string(status),
        ]
    }

    /// The same in words.
    func shown(_ status: String) -> String { "Minjun, Mathematics until \(DemoClock.text(self.endsAt)): \(status)" }

    /// When the phone calls what it shows out of date.
    var staleDate: Date { self.endsAt.addingTimeInterval(300) }

    /// The end as the app's type decodes it.
    var endTime: Int64 { Int64(self.endsAt.timeIntervalSinceReferenceDate) }
}
