// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Performs a closure for each push of an action while the view is visible; all pushes if `action` is `nil`.
    ///
    /// The closure runs for one push at a time. The push whose notification the user tapped to open the app goes to the
    /// first view with this modifier that appears within a minute.
    public func onPush(
        _ action: String? = nil,
        of apus: Apus = .shared,
        perform: @escaping @MainActor @Sendable (Push) async -> Void
    ) -> some View {
        self.task {
            for await push in apus.pushes.pushes(of: action) { await perform(push) }
        }
    }

    /// Runs a coordinator of Live Activities while the view is visible.
    ///
    /// Use it on the app's root view, so that the coordinator runs as long as the app.
    @available(iOS 16.2, *)
    public func follows<Follower: ActivityObserver>(_ follower: Follower) -> some View {
        self.task { await follower.run() }
    }
}

/// An observer of the app's Live Activities, such as ``ActivityCoordinator``.
public protocol ActivityObserver: Sendable {
    /// Observes the activities until the task is cancelled.
    func run() async
}

#if canImport(ActivityKit) && (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)
@available(iOS 16.2, *)
extension ActivityCoordinator: ActivityObserver {}
#endif
#endif
