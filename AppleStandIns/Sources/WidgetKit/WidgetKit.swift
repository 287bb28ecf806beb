// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

@_exported import ActivityKit
@_exported import SwiftUI

public struct ActivityViewContext<Attributes> where Attributes: ActivityAttributes {
    public let activityID: String
    public let attributes: Attributes
    public let state: Attributes.ContentState
    public let isStale: Bool
}

public let NSUserActivityTypeLiveActivity = "NSUserActivityTypeLiveActivity"

/// The presentation of Live Activities in a widget extension.
///
/// The shim does not model when the system launches the extension, how often it renders, or its budget. It evaluates
/// the Lock Screen views with the current content when a test reads their texts. It compiles the views of the Dynamic
/// Island, but does not evaluate them. It does not run timelines of other widgets.
@MainActor @preconcurrency public struct ActivityConfiguration<Attributes>: WidgetConfiguration
where Attributes: ActivityAttributes {
    private let lockScreen: @MainActor (ActivityViewContext<Attributes>) -> Screen

    public init<Content>(
        for attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> Content,
        dynamicIsland: @escaping (ActivityViewContext<Attributes>) -> DynamicIsland
    ) where Content: View {
        self.lockScreen = { context in Screen { content(context) } }
    }

    // This cannot trap, because no code reads the body of a configuration of this shim.
    public var body: Never { fatalError("this configuration has no body") }

    /// Creates the Lock Screen view of an activity, instead of the extension that the system would launch.
    public func texts(of activity: Activity<Attributes>) -> [String] {
        let context = ActivityViewContext<Attributes>(
            activityID: activity.id,
            attributes: activity.attributes,
            state: activity.content.state,
            isStale: activity.activityState == .stale
        )
        return self.lockScreen(context).texts
    }
}

extension ActivityConfiguration: LockScreenConfiguration {
    public var lockScreens: [[String]] { Activity<Attributes>.activities.map { self.texts(of: $0) } }
}

public struct DynamicIslandExpandedRegionPosition: Sendable {
    public static let leading = Self(), trailing = Self(), center = Self(), bottom = Self()
}

public struct DynamicIslandExpandedContent<Content> {}

public struct DynamicIslandExpandedRegion<Content: View> {
    public init(
        _ position: DynamicIslandExpandedRegionPosition,
        priority: Double = 0,
        @ViewBuilder content: @escaping () -> Content
    ) {}
}

@resultBuilder public enum DynamicIslandExpandedContentBuilder {
    public static func buildBlock<each Content: View>(
        _ regions: repeat DynamicIslandExpandedRegion<each Content>
    ) -> DynamicIslandExpandedContent<(repeat each Content)> {
        DynamicIslandExpandedContent()
    }
}

/// The regions of the Dynamic Island, which are compiled but not evaluated.
public struct DynamicIsland {
    public init<Expanded, CompactLeading: View, CompactTrailing: View, Minimal: View>(
        @DynamicIslandExpandedContentBuilder expanded: @escaping () -> DynamicIslandExpandedContent<Expanded>,
        @ViewBuilder compactLeading: @escaping () -> CompactLeading,
        @ViewBuilder compactTrailing: @escaping () -> CompactTrailing,
        @ViewBuilder minimal: @escaping () -> Minimal
    ) {}
}

/// Records requests to reload widgets for tests; nothing renders the widgets.
public final class WidgetCenter: @unchecked Sendable {
    public static let shared = WidgetCenter()
    private let lock = NSLock()
    private var kinds: [String] = []

    public func reloadTimelines(ofKind kind: String) { self.lock.withLock { self.kinds.append(kind) } }
    public func reloadAllTimelines() { self.lock.withLock { self.kinds.append("*") } }

    /// The widget kinds of the reload requests; `*` for all kinds.
    public var reloadedKinds: [String] { self.lock.withLock { self.kinds } }
}
