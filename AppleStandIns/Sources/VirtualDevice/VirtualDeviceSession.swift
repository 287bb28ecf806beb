// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The one virtual device that this process runs an app on.
///
/// It looks at the device whenever the simulator's feed says that something has happened, and tells the modules that stand
/// in for Apple's what is new. What was told is written down in the app's container, so that a call that comes while
/// the app does not run reaches the process that is launched for it, once.
public final class VirtualDeviceSession: @unchecked Sendable {
    public static let shared = VirtualDeviceSession()

    private struct State {
        var place: VirtualDeviceContext?
        var observers: [@Sendable (DeviceSnapshot) -> Void] = []
        var endings: [@Sendable () -> Void] = []
        var repeatsPresent = true
        var feed: EventFeed?
        var isLookPending = false
        /// The newest call that was told; `nil` where the app has never run.
        var lastCall: Int?
        /// The newest call when the app was launched for the first time.
        var firstCall = 0
        var isGone = false
        /// How often this process has changed something at the device.
        var changes = 0
        /// Who waits for the next look.
        var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "apus.virtual-device")

    /// The device; the first time it is asked for, what the process's environment says.
    public var place: VirtualDeviceContext? {
        self.state.with { state in
            if state.place == nil { state.place = VirtualDeviceContext.ofProcess() }
            return state.place
        }
    }

    /// Takes a device in the place of the one before; for tests that run an app within their own process.
    public func connect(_ place: VirtualDeviceContext) {
        self.disconnect()
        self.state.with { $0.place = place }
    }

    /// Leaves the device; nobody is told anything any more.
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

    /// Whether the sequences of ActivityKit begin with what is there; for tests, since Apple does not say which do.
    ///
    /// Every device begins with `true`.
    public var repeatsPresent: Bool {
        get { self.state.with { $0.repeatsPresent } }
        set { self.state.with { $0.repeatsPresent = newValue } }
    }

    /// Has somebody told what is found at the device, on a queue of the link's own, one moment after the other.
    ///
    /// The last that is told, once, is `onGone`: that the app is no longer on the device.
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

    /// Begins to watch the device.
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

    // MARK: Calls of the control API

    /// Calls, and waits for the answer, which is a JSON object.
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

    /// The path of the device, with something behind it.
    public func devicePath(_ rest: String = "") -> String { "/v1/devices/\(self.place?.device ?? "")\(rest)" }

    /// The path of the app on the device, with something behind it.
    public func appPath(_ rest: String = "") -> String { self.devicePath("/apps/\(self.place?.bundleID ?? "")\(rest)") }

    /// What the device is like now; `nil` when the app is not on it.
    public func status() throws -> DeviceStatus? {
        DeviceStatus(try self.call("GET", self.devicePath()), bundleID: self.place?.bundleID ?? "")
    }

    /// The app's Live Activities.
    public func activities() throws -> [DeviceActivity] {
        let list = try self.call("GET", self.devicePath("/activities"))["activities"] as? [[String: Any]] ?? []
        return list.filter { $0["bundleID"] as? String == self.place?.bundleID }.compactMap(DeviceActivity.init)
    }

    /// Says that the app is done with a call.
    public func complete(_ call: DeviceCallback, result: String) {
        guard call.isOpen else { return }
        // A call whose time has passed is complete already: the device has noted that.
        _ = try? self.call("POST", self.devicePath("/calls/\(call.number)/completion"), ["result": result])
    }

    private func callsPath(_ place: VirtualDeviceContext) -> String {
        self.devicePath("/calls?bundleID=\(place.bundleID)")
    }

    /// Does something between two looks: what it knows is newer than what was seen before.
    public func betweenLooks(_ body: () -> Void) { self.queue.sync(execute: body) }

    // MARK: Looking

    /// Looks at the device, soon, and once however often it is asked for.
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

    /// Waits until the device was looked at again, whose observers have been told by then, but not for longer than `seconds`.
    ///
    /// Returns whether it was.
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
            // The calls first: the notification of each is on the device by then.
            let list = try self.call("GET", self.callsPath(place))["calls"] as? [[String: Any]] ?? []
            let device = try self.call("GET", self.devicePath())
            guard let status = DeviceStatus(device, bundleID: place.bundleID) else { return self.leave(place) }
            let calls = Self.calls(list, device)
            let live = try self.call("GET", self.appPath("/live-activities"))
            let activities = try self.activities()
            // What was seen may be older than what the app has done meanwhile, and been told of already.
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
            // The simulator does not answer; the feed looks again when it does.
        }
    }

    /// The app is no longer on the device.
    private func leave(_ place: VirtualDeviceContext) {
        let endings = self.state.with { state -> [@Sendable () -> Void] in
            // Another device may have taken the place of the one that was looked at.
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

    /// Those of the calls that the app was not told, which it counts as told from now on.
    private func take(_ calls: [DeviceCallback], _ place: VirtualDeviceContext) -> [DeviceCallback] {
        let (last, first) = self.state.with { ($0.lastCall, $0.firstCall) }
        // What came before the app ever ran is its own only if it is launched for it.
        let new = calls.filter { $0.number > last ?? first || (last == nil && ($0.isOpen || $0.launches)) }
        guard let newest = calls.last?.number, newest != last else { return new }
        self.state.with { $0.lastCall = newest }
        try? FileManager.default.createDirectory(at: place.container, withIntermediateDirectories: true)
        try? Data("\(newest)".utf8).write(to: Self.mark(place))
        return new
    }
}
