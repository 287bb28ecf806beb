// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// Reloads the displayed data of a device when a push announces new data.
///
/// The push has `"action": "refresh_dashboard"` and a `device_id`. If the app is in the foreground, or the user taps
/// the notification, the cache entry of the device's current day is removed and `reload` is called. In the background,
/// only the badge changes, and the data is loaded when the user opens the app. The badge disappears when all data is
/// loaded.
///
/// If `reload` throws, the kit logs the domain and code of the error, and reports a failure to the system. It loads the
/// device again when the user opens the app the next time. The list of devices to load is stored for one week, because
/// the system can terminate the app before the user opens it.
///
/// ```swift
/// let refresh = DayRefresh(cache: cache, timeZone: { zones[$0] ?? .current }) { device in
///     try await model.load(device)
/// }
/// refresh.install(in: Apus.shared)
/// ```
public final class DayRefresh<Value: Sendable>: Sendable {
    /// The payload of the push.
    public struct Body: Decodable, Sendable {
        /// The ID of the device that has new data.
        public let device: String

        private enum CodingKeys: String, CodingKey { case device = "device_id" }
    }

    private let action: String
    private let cache: DayCache<Value>
    private let timeZone: @Sendable (String) -> TimeZone
    private let now: @Sendable () -> Date
    private let badges: Bool
    private let reload: @Sendable (String) async throws -> Void
    /// The devices whose new data is not loaded yet.
    private let stale = Locked(Stale())

    private struct Stale {
        var devices: [String: Due] = [:]
        /// The devices on disk; `nil` until the file was read.
        var stored: [String: Due]?
    }

    /// The number of pushes that announced new data, and the time of the first one.
    private struct Due: Codable, Equatable {
        /// Only compared for equality, so a number from a corrupt file can overflow.
        var pushes = 0
        var since: Date

        /// The retention in seconds; it is limited because a device that the user removed can never be loaded.
        static var longest: TimeInterval { 7 * 86_400 }
    }

    /// Creates a refresh of a cache.
    ///
    /// - Parameters:
    ///   - action: The action of the pushes.
    ///   - cache: The cache whose entries are removed.
    ///   - timeZone: Returns the time zone of a device ID.
    ///   - now: Returns the current time.
    ///   - badges: Whether to set the badge to the number of devices whose new data is not loaded.
    ///   - reload: Loads the displayed data of a device ID.
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

    /// Installs the handler of the action, and loads data of background pushes each time the app becomes active.
    public func install(in apus: Apus) {
        let action = PushAction(self.action, Body.self)
        apus.pushes.on(action) { [weak apus] body, push in
            let now = self.now()
            self.change(apus) { $0[body.device, default: Due(since: now)].pushes &+= 1 }
            if push.arrival == .background {
                // The system sets the badge of a push that has one. Set it here for silent pushes.
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
        // Data of a push that arrived during the load can be missing, so keep the device in the list.
        self.change(apus) { if $0[device] == pushes { $0[device] = nil } }
    }

    /// Changes the list of devices to load, and stores it for later processes.
    ///
    /// If the file cannot be read or written, such as before the first unlock, the list is kept in memory.
    ///
    /// - Returns: The changed list.
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

    /// Sets the badge, also to 0 in a new process, to remove the badge of an earlier process or of the system.
    private func showBadge(_ apus: Apus?) async {
        #if canImport(UserNotifications) && !os(watchOS)
        if self.badges { await apus?.setBadge(self.stale.withLock { $0.devices.count }) }
        #endif
    }
}
