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
    func tokens(_ tell: @Sendable (String) async -> Void) async {
        await self.activity.pushTokenUpdates.values {
            self.activity.pushToken
        } tell: { token in
            await tell(token.hexadecimal)
        }
    }

    /// Tells how it stands, and as what changes.
    func states(_ tell: @Sendable (ActivityState) async -> Void) async {
        await self.activity.activityStateUpdates.values({ self.activity.activityState }, tell: tell)
    }
}

// Apple does not say which of ActivityKit's sequences begin with what is there already. So that is read, and only when the
// sequence is looked out for: nobody would see what happens between the two otherwise.

extension AsyncSequence {
    /// Does something when the sequence is looked out for, and then something with each element.
    func follow(_ begin: () async -> Void, then body: (Element) async -> Void) async rethrows {
        var iterator = self.makeAsyncIterator()
        await begin()
        while let element = try await iterator.next() { await body(element) }
    }
}

extension AsyncSequence where Element: Equatable {
    /// Tells the value that there is, where there is one, and then each that takes its place.
    func values(_ present: () -> Element?, tell: (Element) async -> Void) async rethrows {
        var last: Element?
        try await self.follow {
            last = present()
            if let last { await tell(last) }
        } then: { value in
            guard value != last else { return }
            last = value
            await tell(value)
        }
    }
}
#endif
