// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SwiftUI

/// The app around the listing: a button for each lesson, which starts its activity.
@main
struct LessonApp: App {
    var body: some Scene { WindowGroup { LessonList() } }
}

struct LessonList: View {
    var body: some View {
        ForEach(Schedule.all, id: \.title) { schedule in
            Button(schedule.title) {
                Task {
                    do { try await startActivity(for: schedule) } catch { print("not started: \(error)") }
                }
            }
        }
    }
}
