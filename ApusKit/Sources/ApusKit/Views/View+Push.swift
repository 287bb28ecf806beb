// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Does something with every push of an action that comes while the view is shown.
    ///
    /// Of all pushes where no action is given; one is done after the other. The push whose notification has opened the app comes
    /// too, to the first such view that is shown within a minute.
    public func onPush(
        _ action: String? = nil,
        of apus: Apus = .shared,
        perform: @escaping @MainActor @Sendable (Push) async -> Void
    ) -> some View {
        self.task {
            for await push in apus.pushes.pushes(of: action) { await perform(push) }
        }
    }

    /// Runs a coordinator of Live Activities while the view is shown: at the root of the app's views, as long as the app runs.
    @available(iOS 16.2, *)
    public func follows<Follower: ActivityObserver>(_ follower: Follower) -> some View {
        self.task { await follower.run() }
    }
}

/// What follows the app's Live Activities.
public protocol ActivityObserver: Sendable {
    /// Follows until the task is cancelled.
    func run() async
}

#if canImport(ActivityKit) && (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)
@available(iOS 16.2, *)
extension ActivityCoordinator: ActivityObserver {}
#endif
#endif
