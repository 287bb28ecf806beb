// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import SwiftUI
import WidgetKit

/// What the Lock Screen and the Dynamic Island show.
///
/// In Xcode this belongs to the widget extension, which has a bundle with `@main`.
struct RideWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: RideAttributes.self) { context in
            HStack {
                Text("\(context.state.fee) won").font(.headline)
                Spacer()
                Text(String(format: "%.1f km", context.state.distance))
                if context.isStale { Text("?") }
            }
            .padding()
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { Text("\(context.state.fee) won") }
                DynamicIslandExpandedRegion(.trailing) { Text(context.state.endsAt, style: .timer) }
            } compactLeading: {
                Text("\(context.state.fee)")
            } compactTrailing: {
                Text(context.state.endsAt, style: .timer)
            } minimal: {
                Text("\(context.state.fee)")
            }
        }
    }
}
