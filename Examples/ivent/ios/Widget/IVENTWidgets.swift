// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import SwiftUI
import WidgetKit

@main
struct IVENTWidgets: WidgetBundle {
    var body: some Widget { LessonWidget() }
}

/// A lesson on the Lock Screen and in the Dynamic Island.
struct LessonWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: IVENTActivityAttributes.self) { context in
            VStack(alignment: .leading) {
                Text("\(context.state.childName): \(context.state.scheduleTitle)").font(.headline)
                Text(context.attributes.academyName)
                HStack {
                    Text(Self.label(context.state.status))
                    Spacer()
                    Text(context.state.endTime, style: .timer)
                }
            }
            .padding()
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { Text(context.state.scheduleTitle) }
                DynamicIslandExpandedRegion(.trailing) { Text(context.state.endTime, style: .timer) }
                DynamicIslandExpandedRegion(.bottom) { Text(Self.label(context.state.status)) }
            } compactLeading: {
                Text(context.state.childName)
            } compactTrailing: {
                Text(context.state.endTime, style: .timer)
            } minimal: {
                Text(context.state.childName)
            }
        }
    }

    private static func label(_ status: String) -> String {
        switch status {
        case "ending": "Ends soon"
        case "ended": "Over"
        default: "In class"
        }
    }
}
