// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// What is shown is refreshed when a push says that there is something new.
///
/// The push has `"action": "refresh_dashboard"` and a `device_id`. While the app is on the screen, and when the person taps the
/// notification, the entry of the day it is now at the device is cleared, and `reload` is called. In the background nothing
/// is loaded: the badge says that there is something new, and it is loaded when the person opens the app.
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
    private let reload: @Sendable (String) async throws -> Void
    /// Of what there is something new that was not loaded yet.
    private let stale = Locked(Set<String>())

    /// A refresh of a cache.
    ///
    /// - Parameters:
    ///   - action: the action of the pushes.
    ///   - cache: what is cleared.
    ///   - timeZone: where a device is, by its id.
    ///   - now: the time.
    ///   - reload: loads what is shown of a device.
    public init(
        action: String = "refresh_dashboard",
        cache: DayCache<Value>,
        timeZone: @escaping @Sendable (String) -> TimeZone,
        now: @escaping @Sendable () -> Date = { Date() },
        reload: @escaping @Sendable (String) async throws -> Void
    ) {
        self.action = action
        self.cache = cache
        self.timeZone = timeZone
        self.now = now
        self.reload = reload
    }

    /// Handles the pushes of its action.
    public func install(in apus: Apus) {
        let action = PushAction(self.action, Body.self)
        apus.pushes.on(action) { body, push in
            guard push.arrival == .background else { return try await self.refresh(body.device) }
            self.stale.withLock { _ = $0.insert(body.device) }
            #if canImport(UserNotifications)
            // A push with a badge has it set by the system; a silent one does not.
            if push.badge == nil { await apus.setBadge(self.stale.withLock { $0.count }) }
            #endif
            return .newData
        }
    }

    /// The person has opened the app: what came in the background is loaded now.
    public func becameActive() async {
        for device in self.stale.withLock({ $0 }).sorted() { _ = try? await self.refresh(device) }
    }

    private func refresh(_ device: String) async throws -> PushResult {
        self.stale.withLock { _ = $0.insert(device) }
        await self.cache.set(nil, for: DayKey(device, at: self.now(), in: self.timeZone(device)))
        try await self.reload(device)
        self.stale.withLock { _ = $0.remove(device) }
        return .newData
    }
}
