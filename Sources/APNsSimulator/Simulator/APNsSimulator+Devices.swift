// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Virtual devices, from Swift.
///
/// Each call may be made at any time, before and while the simulator runs.
extension APNsSimulator {
    /// Boots a device on which these apps have registered for pushes.
    ///
    /// - Parameters:
    ///   - environment: the service that its tokens belong to; `nil` is the simulator's own.
    ///   - apps: topics: bundle identifiers, or those with a push type's suffix (`com.example.app.voip`) for a token of
    ///     that type.
    /// - Returns: the device with its tokens.
    /// - Throws: ``ValidationFailure`` for a topic that is none.
    @discardableResult
    public func bootDevice(
        environment: APNsEnvironment? = nil,
        apps: [String]
    ) throws(ValidationFailure) -> VirtualDevice {
        let topics = try Self.topics(apps)
        let environment = environment ?? self.configuration.environment
        return self.core.withWorld { world in
            var generator = SystemRandomNumberGenerator()
            let index = world.bootDevice(environment: environment, topics: topics, using: &generator)
            return world.snapshot(index)
        }
    }

    /// Boots many devices at once.
    ///
    /// - Returns: their tokens for the first of `apps`, in the order of booting.
    /// - Throws: ``ValidationFailure`` for a topic that is none, or if there is none.
    @discardableResult
    public func bootDevices(
        _ count: Int,
        environment: APNsEnvironment? = nil,
        apps: [String]
    ) throws(ValidationFailure) -> [DeviceToken] {
        let topics = try Self.topics(apps)
        guard !topics.isEmpty else { throw ValidationFailure(field: "apps", rule: "at least one", value: "none") }
        let environment = environment ?? self.configuration.environment
        return self.core.withWorld { world in
            var generator = SystemRandomNumberGenerator()
            world.reserve(tokens: count * topics.count)
            return (0..<count).compactMap { _ in
                let index = world.bootDevice(environment: environment, topics: topics, using: &generator)
                return world.devices[index].installations.first.flatMap { try? DeviceToken(bytes: $0.token.bytes) }
            }
        }
    }

    /// What a device holds now; `nil` if there is no such device.
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

    /// Installs an app, or has it register for another push type.
    ///
    /// A topic that has a token keeps it.
    ///
    /// - Throws: ``ValidationFailure`` for a topic that is none; ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func install(_ app: String, on id: VirtualDeviceID) throws -> VirtualDevice {
        let topic = try Topic(app).rawValue
        return try self.withDevice(id) { world, index in
            var generator = SystemRandomNumberGenerator()
            world.install(topic, on: index, using: &generator)
            return world.snapshot(index)
        }
    }

    /// Removes an app; its tokens are answered 410 from now on.
    ///
    /// - Returns: whether the app was installed.
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func uninstall(_ bundleID: String, from id: VirtualDeviceID) throws(APNsSimulatorError) -> Bool {
        let now = self.core.now
        return try self.withDevice(id) { world, index in world.uninstall(bundleID, from: index, now: now) }
    }

    /// Connects a device to APNs or cuts it off.
    ///
    /// What waited for it is delivered before the call returns.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice`.
    @discardableResult
    public func setOnline(_ isOnline: Bool, _ id: VirtualDeviceID) throws(APNsSimulatorError) -> VirtualDevice {
        let now = self.core.now
        let (deliveries, device) = try self.withDevice(id) { world, index in
            (world.setOnline(isOnline, device: index, now: now), world.snapshot(index))
        }
        for delivery in deliveries { self.core.feed.publish(delivery) }
        return device
    }

    /// Every arrival at any device from now on.
    ///
    /// Ends when the simulator stops.
    ///
    /// A reader that falls behind misses the oldest; see ``Delivery/sequence``.
    public func deliveries() -> AsyncStream<Delivery> {
        self.core.feed.read(bufferingNewest: self.configuration.deliveryBuffer)
    }

    private func withDevice<Value: Sendable>(
        _ id: VirtualDeviceID,
        _ body: (inout World, DeviceIndex) -> Value
    ) throws(APNsSimulatorError) -> Value {
        let value: Value? = self.core.withWorld { world in
            guard let index = world.devices.index(of: id) else { return nil }
            return body(&world, index)
        }
        guard let value else { throw APNsSimulatorError(code: .unknownDevice, message: "there is no device \(id)") }
        return value
    }

    private static func topics(_ apps: [String]) throws(ValidationFailure) -> [String] {
        var topics: [String] = []
        for app in apps { topics.append(try Topic(app).rawValue) }
        return topics
    }
}
