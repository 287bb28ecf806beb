// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import WidgetKit

extension ActivityConfiguration {
    /// The initializer of the first beta of iOS 16.1, which Apple has withdrawn since: it had no Dynamic Island.
    init<Content: View>(
        attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> Content
    ) {
        self.init(for: attributesType, content: content) { _ in
            DynamicIsland {
                DynamicIslandExpandedRegion(.center) { EmptyView() }
            } compactLeading: {
                EmptyView()
            } compactTrailing: {
                EmptyView()
            } minimal: {
                EmptyView()
            }
        }
    }
}
