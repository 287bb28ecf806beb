// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Apps on virtual devices, from Swift.
extension APNsSimulator {
    /// Installs an app, or has it register for another push type.
    ///
    /// A topic that has a token keeps it.
    ///
    /// - Parameters:
    ///   - app: a bundle identifier, or that with a push type's suffix.
    ///   - id: the device.
    ///   - traits: what the app is like; `nil` leaves it as it is, or as apps are by default.
    ///   - token: the device token that it has, for a test that knows it beforehand; `nil` makes one.
    /// - Returns: the device.
    /// - Throws: ``ValidationFailure`` for a topic that is none; ``APNsSimulatorError`` `unknownDevice`, or
    ///   `tokenTaken` where the token is active and another app's or device's.
    @discardableResult
    public func install(
        _ app: String,
        on id: VirtualDeviceID,
        traits: AppTraits? = nil,
        token: DeviceToken? = nil
    ) throws -> VirtualDevice {
        try self.install(app, on: id, token: token) { if let traits { $0 = traits } }
    }

    /// The same, with a change of what the app is like by then.
    func install(
        _ app: String,
        on id: VirtualDeviceID,
        token: DeviceToken?,
        changing change: (inout AppTraits) -> Void
    ) throws -> VirtualDevice {
        let topic = try Topic(app).rawValue
        let key = token.map { TokenKey(bytes: $0.bytes) }
        let device: VirtualDevice? = try self.withDevice(id) { world, index, now in
            if let key, world.isTaken(key, topic: topic, device: index) { return nil }
            var traits = world.appTraits(PushKind.bundleID(of: topic), on: index)
            change(&traits)
            world.install(topic, on: index, traits: traits, token: key, now: now)
            return world.snapshot(index)
        }
        guard let device else {
            throw APNsSimulatorError(code: .tokenTaken, message: "the token stands for another app or device")
        }
        return device
    }

    /// Removes an app; its tokens are answered 410 from now on, or later, as the switch `storage.uninstallNotice` has it.
    ///
    /// - Returns: whether the app was installed.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func uninstall(_ bundleID: String, from id: VirtualDeviceID) throws(APNsSimulatorError) -> Bool {
        try self.withDevice(id) { world, index, now in world.uninstall(bundleID, from: index, now: now) }
    }

    /// Removes an app and installs it anew: every token of it is another.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func reinstall(
        _ bundleID: String,
        on id: VirtualDeviceID,
        traits: AppTraits? = nil
    ) throws(APNsSimulatorError) -> VirtualDevice {
        let device: VirtualDevice? = try self.withDevice(id) { world, index, now in
            world.reinstall(bundleID, on: index, traits: traits, now: now) ? world.snapshot(index) : nil
        }
        return try Self.known(device, app: bundleID)
    }

    /// Changes what an app is like or what it is doing.
    ///
    /// An app that comes to the foreground is handed what was held for it.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func changeApp(
        _ bundleID: String,
        on id: VirtualDeviceID,
        _ body: @Sendable (inout AppTraits) -> Void
    ) throws(APNsSimulatorError) -> VirtualDevice {
        let device: VirtualDevice? = try self.withDevice(id) { world, index, now in
            let switches = world.switches.devices
            let isKnown = world.change(index, now: now) { state, effects in
                guard let place = state.apps.firstIndex(where: { $0.bundleID == bundleID && !$0.isRemoved }) else {
                    return false
                }
                var traits = state.apps[place].traits
                body(&traits)
                state.change(place, to: traits, switches: switches, now: now, &effects)
                return true
            }
            return isKnown == true ? world.snapshot(index) : nil
        }
        return try Self.known(device, app: bundleID)
    }

    /// An app says that it is done with what it was told; see ``AppCall``.
    ///
    /// - Parameters:
    ///   - number: the call.
    ///   - id: the device.
    ///   - result: what the app says, such as `newData`.
    /// - Returns: whether the app was expected to say so.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func completeCall(
        _ number: Int,
        on id: VirtualDeviceID,
        result: String = "newData"
    ) throws(APNsSimulatorError) -> Bool {
        try self.withDevice(id) { world, index, now in
            world.change(index, now: now) { state, effects in
                state.complete(number, result: result, now: now, &effects)
            } ?? false
        }
    }

    private static func known(
        _ device: VirtualDevice?,
        app bundleID: String
    ) throws(APNsSimulatorError) -> VirtualDevice {
        guard let device else {
            throw APNsSimulatorError(code: .unknownApp, message: "the device has no app \(bundleID)")
        }
        return device
    }
}
