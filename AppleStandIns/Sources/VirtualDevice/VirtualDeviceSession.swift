// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The connection of this process to the virtual device that its app runs on.
///
/// It uses the control API, and not the courier port of the simulator: Foundation on Linux has no TLS with client
/// certificates. The same rules hold: a device whose activation was revoked is offline and gets no token.
///
/// It reads the device after each event of the simulator's feed, and reports changes to the shim modules. It stores the
/// number of the last reported callback in the app's container. So a callback at a time when the app is not running is
/// reported once to the process that is launched for it.
public final class VirtualDeviceSession: @unchecked Sendable {
    public static let shared = VirtualDeviceSession()

    private struct State {
        var place: VirtualDeviceContext?
        var observers: [@Sendable (DeviceSnapshot) -> Void] = []
        var endings: [@Sendable () -> Void] = []
        var repeatsPresent = true
        var feed: EventFeed?
        var isLookPending = false
        /// The number of the last reported callback; `nil` if the app never ran.
        var lastCall: Int?
        /// The number of the last callback before the first launch of the app.
        var firstCall = 0
        var isGone = false
        /// The number of requests of this process that changed the device.
        var changes = 0
        /// The waiters for the next read.
        var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "apus.virtual-device")

    /// The app and device of the session; the first access reads them from the process environment.
    public var place: VirtualDeviceContext? {
        self.state.with { state in
            if state.place == nil { state.place = VirtualDeviceContext.ofProcess() }
            return state.place
        }
    }

    /// Replaces the device, for tests that run an app in their own process.
    public func connect(_ place: VirtualDeviceContext) {
        self.disconnect()
        self.state.with { $0.place = place }
    }

    /// Disconnects from the device and stops reporting changes.
    public func disconnect() {
        let (feed, waiters) = self.state.with { state in
            defer { state = State(place: nil) }
            return (state.feed, state.waiters)
        }
        feed?.stop()
        for waiter in waiters.values { waiter.resume() }
        self.queue.sync {}
    }

    /// Whether the app is no longer on the device.
    public var isGone: Bool { self.state.with { $0.isGone } }

    /// Whether ActivityKit sequences start with the current value; tests set it, because Apple does not document it.
    ///
    /// Default for each device: `true`.
    public var repeatsPresent: Bool {
        get { self.state.with { $0.repeatsPresent } }
        set { self.state.with { $0.repeatsPresent = newValue } }
    }

    /// Adds an observer that receives each snapshot of the device in order, on a serial queue of the session.
    ///
    /// The session calls `onGone` once, after the last snapshot, when the app was removed from the device.
    public func observe(
        _ observer: @escaping @Sendable (DeviceSnapshot) -> Void,
        onGone: (@Sendable () -> Void)? = nil
    ) {
        self.state.with { state in
            state.observers.append(observer)
            if let onGone { state.endings.append(onGone) }
        }
        self.look()
    }

    /// Starts to observe the device.
    public func start() {
        guard let place = self.place else { return }
        let seen = try? String(contentsOf: Self.mark(place), encoding: .utf8)
        let calls = try? self.call("GET", self.callsPath(place))["calls"] as? [[String: Any]]
        let feed = EventFeed(control: place.control, device: place.device) { [weak self] in self?.look() }
        self.state.with { state in
            state.lastCall = seen.flatMap { Int($0) }
            state.firstCall = calls?.last?["number"] as? Int ?? 0
            state.feed = feed
        }
        feed.start()
    }

    private static func mark(_ place: VirtualDeviceContext) -> URL {
        place.container.appendingPathComponent("calls-seen")
    }

    // MARK: Requests to the control API

    /// Sends a request and blocks until the response arrives, which is a JSON object.
    ///
    /// - Throws: ``ControlError``.
    @discardableResult
    public func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> [String: Any] {
        guard let place = self.place else {
            throw ControlError(
                status: 0,
                value: nil,
                detail: "no virtual device: APUS_DEVICE_CONTROL and its like say none"
            )
        }
        defer { if method != "GET" { self.state.with { $0.changes += 1 } } }
        let data = try ControlClient(base: place.control).wait(method, path, body)
        return try data.isEmpty ? [:] : JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// The path of the device with a suffix.
    public func devicePath(_ rest: String = "") -> String { "/v1/devices/\(self.place?.device ?? "")\(rest)" }

    /// The path of the app on the device with a suffix.
    public func appPath(_ rest: String = "") -> String { self.devicePath("/apps/\(self.place?.bundleID ?? "")\(rest)") }

    /// Reads the status of the device; `nil` if the app is not installed.
    public func status() throws -> DeviceStatus? {
        DeviceStatus(try self.call("GET", self.devicePath()), bundleID: self.place?.bundleID ?? "")
    }

    /// Reads the app's Live Activities.
    public func activities() throws -> [DeviceActivity] {
        let list = try self.call("GET", self.devicePath("/activities"))["activities"] as? [[String: Any]] ?? []
        return list.filter { $0["bundleID"] as? String == self.place?.bundleID }.compactMap(DeviceActivity.init)
    }

    /// Reports that the app completed a callback.
    public func complete(_ call: DeviceCallback, result: String) {
        guard call.isOpen else { return }
        // Ignore the error: the device already recorded a callback that exceeded its time limit as completed.
        _ = try? self.call("POST", self.devicePath("/calls/\(call.number)/completion"), ["result": result])
    }

    private func callsPath(_ place: VirtualDeviceContext) -> String {
        self.devicePath("/calls?bundleID=\(place.bundleID)")
    }

    /// Runs a closure between two reads, so that an older snapshot does not overwrite its changes.
    public func betweenLooks(_ body: () -> Void) { self.queue.sync(execute: body) }

    // MARK: Reading the device

    /// Schedules a read of the device; pending requests are combined into one.
    public func look() {
        let isNew = self.state.with { state in
            guard state.feed != nil, !state.isLookPending else { return false }
            state.isLookPending = true
            return true
        }
        guard isNew else { return }
        self.queue.async {
            self.state.with { $0.isLookPending = false }
            self.lookNow()
        }
    }

    /// Waits until the device was read again and the observers were called, but at most `seconds`.
    ///
    /// - Returns: Whether the read finished in time.
    public func waitForLook(atMost seconds: Double) async -> Bool {
        let id = UUID()
        let isOver = Locked(false)
        let alarm = DispatchWorkItem {
            guard let waiter = self.state.with({ $0.waiters.removeValue(forKey: id) }) else { return }
            isOver.with { $0 = true }
            waiter.resume()
        }
        await withCheckedContinuation { waiter in
            self.state.with { $0.waiters[id] = waiter }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: alarm)
        }
        alarm.cancel()
        return isOver.with { !$0 }
    }

    private func lookNow() {
        defer {
            let waiters = self.state.with { state in
                defer { state.waiters = [:] }
                return state.waiters
            }
            for waiter in waiters.values { waiter.resume() }
        }
        guard let place = self.place, self.state.with({ $0.feed != nil && !$0.isGone }) else { return }
        do {
            let changes = self.state.with { $0.changes }
            // Read the callbacks first. Their notifications are then included in the status that is read next.
            let list = try self.call("GET", self.callsPath(place))["calls"] as? [[String: Any]] ?? []
            let device = try self.call("GET", self.devicePath())
            guard let status = DeviceStatus(device, bundleID: place.bundleID) else { return self.leave(place) }
            let calls = Self.calls(list, device)
            let live = try self.call("GET", self.appPath("/live-activities"))
            let activities = try self.activities()
            // If the app changed the device during the read, the result can be outdated.
            guard self.state.with({ $0.changes }) == changes else { return self.look() }
            let moment = DeviceSnapshot(
                status: status,
                calls: self.take(calls, place),
                activities: activities,
                areActivitiesEnabled: live["enabled"] as? Bool ?? true,
                areFrequentPushesEnabled: live["frequentPushesEnabled"] as? Bool ?? true,
                startTokens: live["pushToStartTokens"] as? [String: String] ?? [:]
            )
            for observer in self.state.with({ $0.observers }) { observer(moment) }
        } catch let error as ControlError where error.status == 404 {
            self.leave(place)
        } catch {
            // The simulator is unreachable. The feed triggers another read when it reconnects.
        }
    }

    /// The app is no longer on the device.
    private func leave(_ place: VirtualDeviceContext) {
        let endings = self.state.with { state -> [@Sendable () -> Void] in
            // Another device can have replaced this one during the read.
            guard state.place == place, !state.isGone else { return [] }
            state.isGone = true
            return state.endings
        }
        for ending in endings { ending() }
    }

    private static func calls(_ list: [[String: Any]], _ device: [String: Any]) -> [DeviceCallback] {
        var collapseIDs: [String: String] = [:]
        for notification in device["notifications"] as? [[String: Any]] ?? [] {
            guard let id = notification["apnsID"] as? String else { continue }
            collapseIDs[id] = (notification["headers"] as? [String: String])?["apns-collapse-id"]
        }
        return list.compactMap { DeviceCallback($0, collapseIDs: collapseIDs) }
    }

    /// Returns the callbacks that were not reported yet, and marks them as reported.
    private func take(_ calls: [DeviceCallback], _ place: VirtualDeviceContext) -> [DeviceCallback] {
        let (last, first) = self.state.with { ($0.lastCall, $0.firstCall) }
        // Report callbacks from before the first launch only if the app is launched for them.
        let new = calls.filter { $0.number > last ?? first || (last == nil && ($0.isOpen || $0.launches)) }
        guard let newest = calls.last?.number, newest != last else { return new }
        self.state.with { $0.lastCall = newest }
        try? FileManager.default.createDirectory(at: place.container, withIntermediateDirectories: true)
        try? Data("\(newest)".utf8).write(to: Self.mark(place))
        return new
    }
}
