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

/// What a widget extension shows of Live Activities.
///
/// What cannot be known here: when the system wakes the extension, how often it draws, and within which budget. The views are made
/// when somebody asks for their texts, with the content of that moment. Those of the Dynamic Island are compiled and never
/// made. Timelines of other widgets are not run.
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

    // Cannot trap: nothing reads the body of a configuration of these modules.
    public var body: Never { fatalError("this configuration has no body") }

    /// What the Lock Screen shows of an activity: in the place of the extension that the system would wake.
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

/// The regions of the Dynamic Island.
///
/// They compile, and are not looked at.
public struct DynamicIsland {
    public init<Expanded, CompactLeading: View, CompactTrailing: View, Minimal: View>(
        @DynamicIslandExpandedContentBuilder expanded: @escaping () -> DynamicIslandExpandedContent<Expanded>,
        @ViewBuilder compactLeading: @escaping () -> CompactLeading,
        @ViewBuilder compactTrailing: @escaping () -> CompactTrailing,
        @ViewBuilder minimal: @escaping () -> Minimal
    ) {}
}

/// Reloads of widgets, which have nobody here who draws them; what was asked for is kept for tests to look at.
public final class WidgetCenter: @unchecked Sendable {
    public static let shared = WidgetCenter()
    private let lock = NSLock()
    private var kinds: [String] = []

    public func reloadTimelines(ofKind kind: String) { self.lock.withLock { self.kinds.append(kind) } }
    public func reloadAllTimelines() { self.lock.withLock { self.kinds.append("*") } }

    /// The kinds whose reload was asked for, `*` for all of them.
    public var reloadedKinds: [String] { self.lock.withLock { self.kinds } }
}
