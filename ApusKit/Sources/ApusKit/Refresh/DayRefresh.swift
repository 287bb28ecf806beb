// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// What is shown is refreshed when a push says that there is something new.
///
/// The push has `"action": "refresh_dashboard"` and a `device_id`. While the app is on the screen, and when the person taps the
/// notification, the entry of the day it is now at the device is cleared, and `reload` is called. In the background nothing
/// is loaded: the badge says that there is something new, and it is loaded when the person opens the app. The badge goes when
/// everything is loaded. What `reload` throws is logged, by its domain and code alone; then that device stays to be loaded
/// when the app is opened the next time, and the system is told that it failed. What is to be loaded is kept on disk, for a week:
/// the system may end the app's process before the person opens it.
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
    /// What there is that was not loaded yet, by device.
    private let stale = Locked(Stale())

    private struct Stale {
        var devices: [String: Due] = [:]
        /// What is on disk; `nil` as long as that is not known.
        var stored: [String: Due]?
    }

    /// How many pushes have said that there is something new, and since when.
    private struct Due: Codable, Equatable {
        /// Compared and never shown: a number from a corrupt file may wrap around.
        var pushes = 0
        var since: Date

        /// For how long it is kept, in seconds: a device that the person has no more cannot be loaded ever again.
        static var longest: TimeInterval { 7 * 86_400 }
    }

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
            let now = self.now()
            self.change(apus) { $0[body.device, default: Due(since: now)].pushes &+= 1 }
            if push.arrival == .background {
                // A push with a badge has it set by the system; a silent one does not.
                if push.badge == nil { await self.showBadge(apus) }
                return .newData
            }
            try await self.refresh(body.device, apus)
            await self.showBadge(apus)
            return .newData
        }
        apus.onActivation { [weak apus] in
            guard let apus else { return }
            await self.becameActive(apus)
        }
    }

    private func becameActive(_ apus: Apus) async {
        for device in self.change(apus, { _ in }).keys.sorted() {
            do { try await self.refresh(device, apus) } catch {
                apus.log(.error, "what came for \"\(self.action)\" in the background is not loaded: \(error.kind)")
            }
        }
        await self.showBadge(apus)
    }

    private func refresh(_ device: String, _ apus: Apus?) async throws {
        let pushes = self.stale.withLock { $0.devices[device] }
        await self.cache.set(nil, for: DayKey(device, at: self.now(), in: self.timeZone(device)))
        try await self.reload(device)
        // What came meanwhile may not be among what was loaded.
        self.change(apus) { if $0[device] == pushes { $0[device] = nil } }
    }

    /// Changes what is to be loaded, and keeps it for a process that comes after this one.
    ///
    /// Returns what it is then. Where nothing can be read or written, as before a phone's first unlocking, it is in memory alone.
    @discardableResult
    private func change(_ apus: Apus?, _ body: (inout [String: Due]) -> Void) -> [String: Due] {
        let file = apus?.directory?.appendingPathComponent("refresh-\(Upload.segment(self.action)).json")
        let oldest = self.now() - Due.longest
        let (devices, failure) = self.stale.withLock { stale -> ([String: Due], (any Error)?) in
            var failure: (any Error)?
            do {
                if stale.stored == nil, let kept: [String: Due] = try file?.decoded() {
                    stale.devices.merge(kept) { Due(pushes: $0.pushes &+ $1.pushes, since: $1.since) }
                    stale.stored = kept
                }
            } catch {
                failure = error
            }
            body(&stale.devices)
            stale.devices = stale.devices.filter { $0.value.since >= oldest }
            let isDamaged = failure is DecodingError
            if let file, failure == nil || isDamaged, stale.devices != stale.stored ?? [:] || isDamaged {
                do {
                    try file.deletingLastPathComponent().makeOutOfBackups()
                    try JSONEncoder().encode(stale.devices).write(to: file, options: .ofApus)
                    stale.stored = stale.devices
                } catch {
                    failure = error
                }
            }
            return (stale.devices, failure)
        }
        if let failure { apus?.log(.warning, "what is to be refreshed is not kept on disk: \(failure.kind)") }
        return devices
    }

    /// Also a process that has just begun, and knows of nothing new, takes away what an earlier one or the system has put there.
    private func showBadge(_ apus: Apus?) async {
        #if canImport(UserNotifications) && !os(watchOS)
        if self.badges { await apus?.setBadge(self.stale.withLock { $0.devices.count }) }
        #endif
    }
}
