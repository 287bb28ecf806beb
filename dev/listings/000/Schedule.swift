// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// What the listing's app shows as a Live Activity: a lesson, as its backend knows it.
struct Schedule {
    var childId: String
    var childName: String
    var academyName: String
    var title: String
    var endTime: Date

    /// The lessons of this process: title and end, in seconds since 1970, as `LISTING_SCHEDULES` says in JSON.
    static let all: [Schedule] = {
        let text = ProcessInfo.processInfo.environment["LISTING_SCHEDULES"] ?? "{}"
        let ends = (try? JSONDecoder().decode([String: Double].self, from: Data(text.utf8))) ?? [:]
        return ends.sorted { $0.key < $1.key }
            .map { title, end in
                Schedule(
                    childId: "7",
                    childName: "Jiu",
                    academyName: "Academy",
                    title: title,
                    endTime: Date(timeIntervalSince1970: end)
                )
            }
    }()
}
