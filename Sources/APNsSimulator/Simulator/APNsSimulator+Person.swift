// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a person does with a virtual device, from Swift.
extension APNsSimulator {
    /// Connects a device to APNs or cuts it off.
    ///
    /// What waited for it is delivered before the call returns.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func setOnline(_ isOnline: Bool, _ id: VirtualDeviceID) throws(APNsSimulatorError) -> VirtualDevice {
        try self.changeDevice(id) { $0.isOnline = isOnline }
    }

    /// Changes what a device is like or what it is doing.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func changeDevice(
        _ id: VirtualDeviceID,
        _ body: @Sendable (inout DeviceTraits) -> Void
    ) throws(APNsSimulatorError) -> VirtualDevice {
        try self.withDevice(id) { world, index, now in
            world.giveState(index)
            if var traits = world.devices.state(index)?.traits {
                body(&traits)
                world.setTraits(traits, of: index, now: now)
            }
            return world.snapshot(index)
        }
    }

    /// Restores a device's backup to a new device: the same apps, each with other tokens.
    ///
    /// The old device stays as it is.
    ///
    /// - Returns: the new device.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    public func restoreBackup(of id: VirtualDeviceID) throws(APNsSimulatorError) -> VirtualDevice {
        try self.withDevice(id) { world, index, now in
            let new = world.restore(index, now: now)
            return world.snapshot(new)
        }
    }

    /// The person taps a notification, or chooses one of its actions.
    ///
    /// - Parameters:
    ///   - identifier: the notification's; see ``ShownNotification/identifier``.
    ///   - id: the device.
    ///   - bundleID: the app, where several show notifications of this identifier.
    ///   - action: an action of its category; `nil` is a tap, which opens the app.
    ///   - text: what the person typed, for an action that takes text.
    /// - Returns: whether there is such a notification.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func respond(
        to identifier: String,
        on id: VirtualDeviceID,
        of bundleID: String? = nil,
        action: String? = nil,
        text: String? = nil
    ) throws(APNsSimulatorError) -> Bool {
        try self.withDevice(id) { world, index, now in
            let switches = world.switches.devices
            return world.change(index, now: now) { state, effects in
                state.respond(
                    to: identifier,
                    of: bundleID,
                    action: action,
                    text: text,
                    switches: switches,
                    now: now,
                    &effects
                )
            } ?? false
        }
    }

    /// The person clears notifications away.
    ///
    /// - Parameters:
    ///   - identifier: which; `nil` is every one.
    ///   - id: the device.
    ///   - bundleID: of which app; `nil` is of every one.
    /// - Returns: how many there were.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func dismiss(
        _ identifier: String? = nil,
        on id: VirtualDeviceID,
        of bundleID: String? = nil
    ) throws(APNsSimulatorError) -> Int {
        try self.withDevice(id) { world, index, now in
            world.change(index, now: now) { state, effects in
                state.dismiss(identifier, of: bundleID, &effects)
            } ?? 0
        }
    }
}
