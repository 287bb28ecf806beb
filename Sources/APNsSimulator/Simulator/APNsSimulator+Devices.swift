// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The Swift API of virtual devices.
///
/// All methods can be called at any time, before and while the simulator runs.
extension APNsSimulator {
    /// Boots a device on which these apps have registered for pushes.
    ///
    /// - Parameters:
    ///   - environment: the service that its tokens belong to; `nil` is the simulator's own.
    ///   - apps: topics: bundle identifiers, or those with a push type's suffix (`com.example.app.voip`) for a token of
    ///     that type.
    /// - Returns: the device with its tokens.
    /// - Throws: ``InvalidValueError`` for a topic that is none.
    @discardableResult
    public func bootDevice(
        environment: APNsEnvironment? = nil,
        apps: [String]
    ) throws(InvalidValueError) -> VirtualDevice {
        let topics = try Self.topics(apps)
        let environment = environment ?? self.configuration.environment
        return self.core.withWorld { world in
            let index = world.bootDevice(environment: environment, topics: topics)
            return world.snapshot(index)
        }
    }

    /// Boots many devices at once.
    ///
    /// - Returns: their tokens for the first of `apps`, in the order of booting.
    /// - Throws: ``InvalidValueError`` for a topic that is none, or if there is none.
    @discardableResult
    public func bootDevices(
        _ count: Int,
        environment: APNsEnvironment? = nil,
        apps: [String]
    ) throws(InvalidValueError) -> [DeviceToken] {
        let topics = try Self.topics(apps)
        guard !topics.isEmpty else { throw InvalidValueError(field: "apps", rule: "at least one", value: "none") }
        let environment = environment ?? self.configuration.environment
        return self.core.withWorld { world in
            (0..<max(0, count)).compactMap { _ in
                let index = world.bootDevice(environment: environment, topics: topics)
                return try? DeviceToken(bytes: world.token(of: world.devices[index].origin).bytes)
            }
        }
    }

    /// A snapshot of a device; `nil` if there is no such device.
    public func device(_ id: VirtualDeviceID) -> VirtualDevice? {
        self.core.withWorld { world in world.devices.index(of: id).map { world.snapshot($0) } }
    }

    /// The devices in the order of their booting, without their notifications.
    ///
    /// - Parameters:
    ///   - id: the device after which the page begins; `nil` begins with the first.
    ///   - limit: how many at most.
    /// - Returns: `nil` if there is no device `id`.
    public func devices(after id: VirtualDeviceID? = nil, limit: Int = 100) -> [VirtualDevice]? {
        self.core.withWorld { world in
            world.devices.page(after: id, limit: limit)?.map { row in
                world.snapshot(DeviceIndex(rawValue: Int32(row)), withNotifications: false)
            }
        }
    }

    /// The deliveries to all devices from now on.
    ///
    /// Ends when the simulator stops.
    ///
    /// A slow reader misses the oldest; see ``Delivery/sequence``.
    public func deliveries() -> AsyncStream<Delivery> {
        self.core.feed.read(bufferingNewest: self.configuration.deliveryBuffer)
    }

    /// The events of all devices from now on; see ``SimulatorEvent``.
    ///
    /// Ends when the simulator stops. While a reader is connected, each device with an event has its full state in
    /// memory, about 1 KB.
    public func events() -> AsyncStream<SimulatorEvent> {
        self.core.events.read(bufferingNewest: self.configuration.deliveryBuffer)
    }

    /// Does something with a device, at the time that it is.
    func withDevice<Value: Sendable>(
        _ id: VirtualDeviceID,
        _ body: (inout SimulatorState, DeviceIndex, Double) -> Value
    ) throws(APNsSimulatorError) -> Value {
        let value: Value? = self.core.withWorld { world in
            guard let index = world.devices.index(of: id) else { return nil }
            return body(&world, index, world.now)
        }
        guard let value else { throw APNsSimulatorError(code: .unknownDevice, message: "there is no device \(id)") }
        return value
    }

    static func topics(_ apps: [String]) throws(InvalidValueError) -> [String] {
        var topics: [String] = []
        for app in apps { topics.append(try Topic(app).rawValue) }
        return topics
    }
}

/// Apps on virtual devices, from Swift.
extension APNsSimulator {
    /// Installs an app, or registers it for another push type.
    ///
    /// A topic that has a token keeps it.
    ///
    /// - Parameters:
    ///   - app: a bundle ID, with or without a push type's suffix.
    ///   - id: the device.
    ///   - traits: the app's traits; `nil` keeps the current or default ones.
    ///   - token: the device token, for a test with a fixed one; `nil` generates one.
    /// - Returns: the device.
    /// - Throws: ``InvalidValueError`` for an invalid topic; ``APNsSimulatorError`` `unknownDevice`, `notActivated`, or
    ///   `tokenTaken` if the token is active for another app or device.
    @discardableResult
    public func install(
        _ app: String,
        on id: VirtualDeviceID,
        traits: SimulatedAppState? = nil,
        token: DeviceToken? = nil
    ) throws -> VirtualDevice {
        try self.install(app, on: id, token: token) { if let traits { $0 = traits } }
    }

    /// Installs an app with a change of its current traits.
    func install(
        _ app: String,
        on id: VirtualDeviceID,
        token: DeviceToken?,
        changing change: (inout SimulatedAppState) -> Void
    ) throws -> VirtualDevice {
        let topic = try Topic(app).rawValue
        let key = token.map { TokenKey(bytes: $0.bytes) }
        try self.requireActivation(of: id)
        let device: VirtualDevice? = try self.withDevice(id) { world, index, now in
            if let key, world.isTaken(key, topic: topic, device: index) { return nil }
            var traits = world.appTraits(PushTypeRules.bundleID(of: topic), on: index)
            change(&traits)
            world.install(topic, on: index, traits: traits, token: key, now: now)
            return world.snapshot(index)
        }
        guard let device else {
            throw APNsSimulatorError(code: .tokenTaken, message: "the token belongs to another app or device")
        }
        return device
    }

    /// Removes an app; the response for its tokens becomes 410 now or later, depending on the switch
    /// `storage.uninstallNotice`.
    ///
    /// - Returns: whether the app was installed.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func uninstall(_ bundleID: String, from id: VirtualDeviceID) throws(APNsSimulatorError) -> Bool {
        try self.withDevice(id) { world, index, now in world.uninstall(bundleID, from: index, now: now) }
    }

    /// Removes an app and reinstalls it, which replaces all of its tokens.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`, `notActivated` or `unknownApp`.
    @discardableResult
    public func reinstall(
        _ bundleID: String,
        on id: VirtualDeviceID,
        traits: SimulatedAppState? = nil
    ) throws(APNsSimulatorError) -> VirtualDevice {
        try self.requireActivation(of: id)
        let device: VirtualDevice? = try self.withDevice(id) { world, index, now in
            world.reinstall(bundleID, on: index, traits: traits, now: now) ? world.snapshot(index) : nil
        }
        return try Self.known(device, app: bundleID)
    }

    /// Changes the settings or the current state of an app.
    ///
    /// An app that enters the foreground receives its held notifications.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func changeApp(
        _ bundleID: String,
        on id: VirtualDeviceID,
        _ body: @Sendable (inout SimulatedAppState) -> Void
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

    /// Reports that an app has completed a callback; see ``AppCallback``.
    ///
    /// - Parameters:
    ///   - number: the callback.
    ///   - id: the device.
    ///   - result: the app's result, such as `newData`.
    /// - Returns: whether the completion was pending.
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

/// The Swift API for the user's actions on a virtual device.
extension APNsSimulator {
    /// Connects a device to APNs, or disconnects it.
    ///
    /// Its stored notifications are delivered before the call returns. `false` also closes its courier connection; a
    /// device that has one is online.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`, or `notActivated` for a revoked device that is to be online.
    @discardableResult
    public func setOnline(_ isOnline: Bool, _ id: VirtualDeviceID) throws(APNsSimulatorError) -> VirtualDevice {
        try self.changeDevice(id) { $0.isOnline = isOnline }
    }

    /// Changes the settings or the current state of a device.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`, or `notActivated` for a revoked device that is to be online.
    @discardableResult
    public func changeDevice(
        _ id: VirtualDeviceID,
        _ body: @Sendable (inout SimulatedDeviceState) -> Void
    ) throws(APNsSimulatorError) -> VirtualDevice {
        let device: VirtualDevice? = try self.withDevice(id) { world, index, now in
            world.giveState(index)
            if var traits = world.devices.state(index)?.traits {
                body(&traits)
                guard !traits.isOnline || world.couriers.isActivated(index) else { return nil }
                world.setTraits(traits, of: index, now: now)
            }
            return world.snapshot(index)
        }
        guard let device else { throw .notActivated(id) }
        return device
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

    /// The user taps a notification, or selects one of its actions.
    ///
    /// - Parameters:
    ///   - identifier: the notification's; see ``DeliveredNotification/identifier``.
    ///   - id: the device.
    ///   - bundleID: the app, if several show notifications with this identifier.
    ///   - action: an action of its category; `nil` is a tap, which opens the app.
    ///   - text: the text that the user typed, for an action with text input.
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

    /// The user removes notifications from the list.
    ///
    /// - Parameters:
    ///   - identifier: the notification; `nil` removes all.
    ///   - id: the device.
    ///   - bundleID: the app; `nil` includes all apps.
    /// - Returns: the number of removed notifications.
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

/// The population, from Swift.
extension APNsSimulator {
    /// The population, as it is now; `nil` where there is none.
    public var population: PopulationConfiguration? { self.core.withWorld { $0.population?.configuration } }

    /// Connects the population to APNs or disconnects it, except for devices with an explicit setting.
    ///
    /// Stored notifications are delivered before the call returns. Requests are served meanwhile.
    public func setPopulationOnline(_ isOnline: Bool) {
        self.core.withWorld { $0.population?.configuration.isOnline = isOnline }
        var row: Int? = 0
        while let first = row { row = self.core.change { world, now in world.followPopulation(from: first, now: now) } }
    }

    /// The device and the topic of a token; `nil` for a token that was never issued.
    public func device(of token: DeviceToken) -> (device: VirtualDevice, topic: String, isActive: Bool)? {
        self.core.withWorld { world in
            guard let index = world.registration(of: TokenKey(bytes: token.bytes)) else { return nil }
            let isActive = world.standing(of: index, now: world.now).inactiveSince == nil
            let topic = world.topics[world.topic(of: index)].name
            // Before the world is looked at: a device of the population gets its row by this.
            let device = world.device(of: index)
            return (world.snapshot(device), topic, isActive)
        }
    }
}
