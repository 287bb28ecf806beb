// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(ActivityKit) && (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)
@preconcurrency import ActivityKit
import Foundation

/// A sendable wrapper of an ActivityKit `Activity`.
///
/// `Activity` is not `Sendable`, although its methods can be called from any thread. Only this type uses it.
@available(iOS 16.2, *)
struct RunningActivity<Attributes>: @unchecked Sendable
where Attributes: ActivityAttributes & Sendable, Attributes.ContentState: Sendable {
    private let activity: Activity<Attributes>

    init(_ activity: Activity<Attributes>) { self.activity = activity }

    var id: String { self.activity.id }
    var attributes: Attributes { self.activity.attributes }
    var state: Attributes.ContentState { self.activity.content.state }

    /// The ActivityKit state of the activity.
    var activityState: ActivityState { self.activity.activityState }

    /// Whether the activity can still be updated.
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

    /// Reports each update token, in hexadecimal.
    func tokens(_ tell: @Sendable (String) async -> Void) async {
        await self.activity.pushTokenUpdates.values {
            self.activity.pushToken
        } tell: { token in
            await tell(token.hexadecimal)
        }
    }

    /// Reports the current state and each change.
    func states(_ tell: @Sendable (ActivityState) async -> Void) async {
        await self.activity.activityStateUpdates.values({ self.activity.activityState }, tell: tell)
    }
}

// Apple does not document which ActivityKit sequences start with the current value. So read the current value too, but
// after creating the iterator. Otherwise a change between the two steps is lost.

extension AsyncSequence {
    /// Runs `begin` after creating the iterator, and then `body` for each element.
    func follow(_ begin: () async -> Void, then body: (Element) async -> Void) async rethrows {
        var iterator = self.makeAsyncIterator()
        await begin()
        while let element = try await iterator.next() { await body(element) }
    }
}

extension AsyncSequence where Element: Equatable {
    /// Reports the current value, if any, and then each different value.
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
