// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(ActivityKit) && (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)
@preconcurrency import ActivityKit
import Foundation

/// An activity that is shown.
///
/// `Activity` is not marked as safe to share between tasks, although its methods are for calling from anywhere; what is used of
/// it stands here alone.
@available(iOS 16.2, *)
struct RunningActivity<Attributes>: @unchecked Sendable
where Attributes: ActivityAttributes & Sendable, Attributes.ContentState: Sendable {
    private let activity: Activity<Attributes>

    init(_ activity: Activity<Attributes>) { self.activity = activity }

    var id: String { self.activity.id }
    var attributes: Attributes { self.activity.attributes }
    var state: Attributes.ContentState { self.activity.content.state }

    /// How it stands.
    var activityState: ActivityState { self.activity.activityState }

    /// Whether it still takes changes.
    var isRunning: Bool {
        switch self.activityState {
        case .ended, .dismissed: false
        default: true
        }
    }

    func update(_ content: ActivityContent<Attributes.ContentState>, _ alert: AlertConfiguration?) async {
        await self.activity.update(content, alertConfiguration: alert)
    }

    func end(_ content: ActivityContent<Attributes.ContentState>?, _ policy: ActivityUIDismissalPolicy) async {
        await self.activity.end(content, dismissalPolicy: policy)
    }

    /// Tells its update tokens, in hexadecimal, as they come.
    ///
    /// Whether the sequence begins with one that is there already is not said by Apple, and so it is told before.
    func tokens(_ tell: @Sendable (String) async -> Void) async {
        var last = self.activity.pushToken
        if let last { await tell(last.hexadecimal) }
        for await token in self.activity.pushTokenUpdates where token != last {
            last = token
            await tell(token.hexadecimal)
        }
    }

    /// Tells how it stands, as that changes.
    func states(_ tell: @Sendable (ActivityState) async -> Void) async {
        for await state in self.activity.activityStateUpdates {
            await tell(state)
            if state == .dismissed { return }
        }
    }
}
#endif
