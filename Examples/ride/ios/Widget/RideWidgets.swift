// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import SwiftUI
import WidgetKit

@main
struct LiveActivitiesDashboard: WidgetBundle {
    var body: some Widget {
        RidingActivityWidget()
    }
}

/// The fee, the distance and the time of a ride on the Lock Screen and in the Dynamic Island.
struct RidingActivityWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: RidingAttributes.self) { context in
            HStack {
                Item(name: "요금") { Text("\(context.state.fee) 원") }
                Item(name: "주행 거리") { Text(String(format: "%.1f km", context.state.estimatedDistance)) }
                Item(name: "주행 시간") { Text(context.state.estimatedRidingTime, style: .timer) }
            }
            .padding()
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { Text("\(context.state.fee) 원") }
                DynamicIslandExpandedRegion(.trailing) { Text(context.state.estimatedRidingTime, style: .timer) }
            } compactLeading: {
                Text("\(context.state.fee) 원")
            } compactTrailing: {
                Text(context.state.estimatedRidingTime, style: .timer)
            } minimal: {
                Text("\(context.state.fee)")
            }
        }
    }
}

/// A value above its name.
struct Item<Content: View>: View {
    let name: String
    @ViewBuilder let value: () -> Content

    var body: some View {
        VStack(alignment: .center) {
            self.value().font(.headline)
            Text(self.name)
        }
        .frame(maxWidth: .infinity)
    }
}
