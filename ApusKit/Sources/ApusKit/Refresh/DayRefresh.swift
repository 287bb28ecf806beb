// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// What is shown is refreshed when a push says that there is something new.
///
/// The push has `"action": "refresh_dashboard"` and a `device_id`. While the app is on the screen, and when the person taps the
/// notification, the entry of the day it is now at the device is cleared, and `reload` is called. In the background nothing
/// is loaded: the badge says that there is something new, and it is loaded when the person opens the app. The badge goes when
/// everything is loaded. What `reload` throws is logged, by its domain and code alone; then that device stays to be loaded
/// when the app is opened the next time, and the system is told that it failed.
///
/// ```swift
/// let refresh = DayRefresh(cache: cache, timeZone: { zones[$0] ?? .current }) { device in try await model.load(device) }
/// refresh.install(in: Apus.shared)
/// ```
public final class DayRefresh<Value: Sendable>: Sendable {
    /// What such a push carries.
    public struct Body: Decodable, Sendable {
        /// The device of which there is something new.
        public let device: String

        private enum CodingKeys: String, CodingKey { case device = "device_id" }
    }

    private let action: String
    private let cache: DayCache<Value>
    private let timeZone: @Sendable (String) -> TimeZone
    private let now: @Sendable () -> Date
    private let badges: Bool
    private let reload: @Sendable (String) async throws -> Void
    /// Of what there is something new that was not loaded yet, and how many pushes have said so.
    private let stale = Locked([String: Int]())

    /// A refresh of a cache.
    ///
    /// - Parameters:
    ///   - action: the action of the pushes.
    ///   - cache: what is cleared.
    ///   - timeZone: where a device is, by its id.
    ///   - now: the time.
    ///   - badges: whether the number on the icon is its own: how many devices have something new that is not loaded.
    ///   - reload: loads what is shown of a device.
    public init(
        action: String = "refresh_dashboard",
        cache: DayCache<Value>,
        timeZone: @escaping @Sendable (String) -> TimeZone,
        now: @escaping @Sendable () -> Date = { Date() },
        badges: Bool = true,
        reload: @escaping @Sendable (String) async throws -> Void
    ) {
        self.action = action
        self.cache = cache
        self.timeZone = timeZone
        self.now = now
        self.badges = badges
        self.reload = reload
    }

    /// Handles the pushes of its action, and loads what came in the background when the app comes to the screen.
    public func install(in apus: Apus) {
        let action = PushAction(self.action, Body.self)
        apus.pushes.on(action) { [weak apus] body, push in
            self.stale.withLock { $0[body.device, default: 0] += 1 }
            if push.arrival == .background {
                // A push with a badge has it set by the system; a silent one does not.
                if push.badge == nil { await self.showBadge(apus) }
                return .newData
            }
            try await self.refresh(body.device)
            await self.showBadge(apus)
            return .newData
        }
        apus.onActivation { [weak apus] in
            guard let apus else { return }
            await self.becameActive(apus)
        }
    }

    private func becameActive(_ apus: Apus) async {
        for device in self.stale.withLock({ $0.keys.sorted() }) {
            do { try await self.refresh(device) } catch {
                apus.log(.error, "what came for \"\(self.action)\" in the background is not loaded: \(error.kind)")
            }
        }
        await self.showBadge(apus)
    }

    private func refresh(_ device: String) async throws {
        let pushes = self.stale.withLock { $0[device] }
        await self.cache.set(nil, for: DayKey(device, at: self.now(), in: self.timeZone(device)))
        try await self.reload(device)
        // What came meanwhile may not be among what was loaded.
        self.stale.withLock { if $0[device] == pushes { $0[device] = nil } }
    }

    /// Also a process that has just begun, and knows of nothing new, takes away what an earlier one or the system has put there.
    private func showBadge(_ apus: Apus?) async {
        #if canImport(UserNotifications) && !os(watchOS)
        if self.badges { await apus?.setBadge(self.stale.withLock { $0.count }) }
        #endif
    }
}
