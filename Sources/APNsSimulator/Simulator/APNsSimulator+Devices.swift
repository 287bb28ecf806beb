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
            let index = world.bootDevice(environment: environment, topics: topics)
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
            (0..<count).compactMap { _ in
                let index = world.bootDevice(environment: environment, topics: topics)
                return try? DeviceToken(bytes: world.token(of: world.devices[index].origin).bytes)
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

    /// Every arrival at any device from now on.
    ///
    /// Ends when the simulator stops.
    ///
    /// A reader that falls behind misses the oldest; see ``Delivery/sequence``.
    public func deliveries() -> AsyncStream<Delivery> {
        self.core.feed.read(bufferingNewest: self.configuration.deliveryBuffer)
    }

    /// Every event at any device from now on; see ``SimulatorEvent``.
    ///
    /// Ends when the simulator stops. While somebody reads events, each device that something happens to is kept in
    /// full, which takes about a kilobyte.
    public func events() -> AsyncStream<SimulatorEvent> {
        self.core.events.read(bufferingNewest: self.configuration.deliveryBuffer)
    }

    /// Does something with a device, at the time that it is.
    func withDevice<Value: Sendable>(
        _ id: VirtualDeviceID,
        _ body: (inout World, DeviceIndex, Double) -> Value
    ) throws(APNsSimulatorError) -> Value {
        let value: Value? = self.core.withWorld { world in
            guard let index = world.devices.index(of: id) else { return nil }
            return body(&world, index, world.now)
        }
        guard let value else { throw APNsSimulatorError(code: .unknownDevice, message: "there is no device \(id)") }
        return value
    }

    static func topics(_ apps: [String]) throws(ValidationFailure) -> [String] {
        var topics: [String] = []
        for app in apps { topics.append(try Topic(app).rawValue) }
        return topics
    }
}
