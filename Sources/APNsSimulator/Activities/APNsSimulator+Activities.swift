// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The Swift API of Live Activities: the actions of apps and users.
///
/// Pushes arrive at the provider port.
extension APNsSimulator {
    // MARK: Types

    /// Registers how a type of an app's Live Activities is decoded; replaces a registration of the same name.
    ///
    /// Without any registration, the app decodes every type. With one, unregistered types start nothing.
    public func register(_ type: ActivityType, for bundleID: String) {
        self.core.withWorld { $0.activities.register(type, bundleID: bundleID) }
    }

    /// Forgets a type of an app's Live Activities.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func removeActivityType(_ name: String, for bundleID: String) -> Bool {
        self.core.withWorld { $0.activities.removeType(name, bundleID: bundleID) }
    }

    /// The types of an app's Live Activities that are registered, by name.
    public func activityTypes(of bundleID: String) -> [ActivityType] {
        self.core.withWorld { $0.activities.types(of: bundleID) }
    }

    // MARK: The app

    /// Lets an app start a Live Activity, as `Activity.request` does.
    ///
    /// - Returns: the activity; with its update token unless that comes later.
    /// - Throws: ``ActivityAuthorizationError`` as ActivityKit does; ``InvalidValueError`` where the values are none of
    ///   the registered type; ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func startActivity(_ request: ActivityRequest, on id: VirtualDeviceID) throws -> LiveActivity {
        try self.withApp(request.bundleID, on: id) { world, device, now in
            try world.startActivity(request, on: device, now: now)
        }
    }

    /// Lets an app update its Live Activity, as `Activity.update` does.
    ///
    /// - Throws: ``InvalidValueError`` if the content does not match the registered type; ``APNsSimulatorError``
    ///   `unknownActivity`.
    @discardableResult
    public func updateActivity(_ id: ActivityID, _ content: ActivityContent) throws -> LiveActivity {
        try self.withActivity(id) { world, record, now in
            try world.checkContent(content.contentState, of: record, now: now)
            return world.activities.update(id, content, now: now)
        }
    }

    /// Lets an app end its Live Activity, as `Activity.end` does.
    ///
    /// - Throws: as ``updateActivity(_:_:)`` does.
    @discardableResult
    public func endActivity(
        _ id: ActivityID,
        _ content: ActivityContent? = nil,
        dismissal: ActivityDismissalPolicy = .default
    ) throws -> LiveActivity {
        try self.withActivity(id) { world, record, now in
            if let content { try world.checkContent(content.contentState, of: record, now: now) }
            let switches = world.switches.activities
            return world.activities.end(id, content, dismissal: dismissal, switches: switches, now: now)
        }
    }

    /// Replaces the update token of a Live Activity; the response for the previous token becomes 410.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownActivity`.
    @discardableResult
    public func rotateActivityToken(_ id: ActivityID) throws -> LiveActivity {
        try self.withActivity(id) { world, _, _ in world.activities.rotateToken(id) }
    }

    /// Gives an app the token with which pushes start its Live Activities of a type, in the place of the one before.
    ///
    /// - Throws: ``ActivityAuthorizationError`` `unsupported` before iOS 17.2; ``InvalidValueError`` for a type that
    ///   the app has not, where its types are registered; ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func issuePushToStartToken(
        _ attributesType: String,
        for bundleID: String,
        on id: VirtualDeviceID
    ) throws -> DeviceToken {
        try self.withApp(bundleID, on: id) { world, device, now in
            guard world.activityHost(device, bundleID).isAtLeast(17, 2) else {
                throw ActivityAuthorizationError(.unsupported, "push-to-start needs iOS 17.2")
            }
            try world.checkType(attributesType, of: bundleID)
            let key = world.issuePushToStartToken(
                attributesType: attributesType,
                bundleID: bundleID,
                device: device,
                now: now
            )
            return try DeviceToken(bytes: key.bytes)
        }
    }

    // MARK: The user

    /// Swipes a Live Activity away.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownActivity`.
    @discardableResult
    public func swipeAwayActivity(_ id: ActivityID) throws -> LiveActivity {
        try self.withActivity(id) { world, _, now in
            let switches = world.switches.activities
            return world.activities.swipeAway(id, switches: switches, now: now)
        }
    }

    /// Answers the permission prompt of an app's first Live Activity that was started by push.
    ///
    /// Allow issues the withheld update tokens; Don't Allow disables the app's Live Activities.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func answerActivityQuestion(
        allows: Bool,
        for bundleID: String,
        on id: VirtualDeviceID
    ) throws -> AppActivityStatus {
        try self.withApp(bundleID, on: id) { world, _, now in
            let switches = world.switches.activities
            let effects = world.activities.answer(
                allows: allows,
                device: id,
                bundleID: bundleID,
                switches: switches,
                now: now
            )
            world.perform(effects, now: now)
            return AppActivityStatus(world.activities[id, bundleID], bundleID: bundleID)
        }
    }

    /// Changes the user's settings for an app's Live Activities.
    ///
    /// Disabling them ends the running activities and removes all from the Lock Screen.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    @discardableResult
    public func configureActivities(
        for bundleID: String,
        on id: VirtualDeviceID,
        _ change: (inout ActivitySettings) -> Void
    ) throws -> AppActivityStatus {
        try self.withApp(bundleID, on: id) { world, _, now in
            var settings = world.activities[id, bundleID].settings
            change(&settings)
            let switches = world.switches.activities
            let effects = world.activities.configure(
                settings,
                device: id,
                bundleID: bundleID,
                switches: switches,
                now: now
            )
            world.perform(effects, now: now)
            return AppActivityStatus(world.activities[id, bundleID], bundleID: bundleID)
        }
    }

    /// The Live Activity settings and permission of an app on a device.
    ///
    /// - Throws: ``APNsSimulatorError`` `unknownDevice` or `unknownApp`.
    public func activityState(of bundleID: String, on id: VirtualDeviceID) throws -> AppActivityStatus {
        try self.withApp(bundleID, on: id) { world, _, _ in
            AppActivityStatus(world.activities[id, bundleID], bundleID: bundleID)
        }
    }

    // MARK: Looking

    /// A Live Activity, with its timeline; `nil` if there is none of this identity.
    public func activity(_ id: ActivityID) -> LiveActivity? {
        self.core.withWorld { $0.activities[id].map { LiveActivity($0) } }
    }

    /// The Live Activities on a device: those shown first in front, those that are gone at the end.
    public func activities(on device: VirtualDeviceID) -> [LiveActivity] {
        self.core.withWorld { $0.activities.activities(of: device).map { LiveActivity($0) } }
    }

    /// The pushes to a device that APNs accepted and that started no Live Activity, with the reasons.
    public func ignoredActivityPushes(on device: VirtualDeviceID) -> [ActivityLogEntry] {
        self.core.withWorld { $0.activities.ignored(on: device) }
    }

    private func withActivity(
        _ id: ActivityID,
        _ body: (inout SimulatorState, ActivityRecord, Double) throws -> [ActivityEffect]
    ) throws -> LiveActivity {
        let unknown = APNsSimulatorError(code: .unknownActivity, message: "there is no activity \(id)")
        return try self.core.withWorld { world in
            let now = world.now
            guard let record = world.activities[id] else { throw unknown }
            world.perform(try body(&world, record, now), now: now)
            guard let changed = world.activities[id] else { throw unknown }
            return LiveActivity(changed)
        }
    }

    private func withApp<Value: Sendable>(
        _ bundleID: String,
        on id: VirtualDeviceID,
        _ body: (inout SimulatorState, DeviceIndex, Double) throws -> Value
    ) throws -> Value {
        try self.core.withWorld { world in
            let now = world.now
            guard let device = world.devices.index(of: id) else {
                throw APNsSimulatorError(code: .unknownDevice, message: "there is no device \(id)")
            }
            world.giveState(device)
            guard world.devices.state(device)?.appIndex(bundleID) != nil else {
                throw APNsSimulatorError(
                    code: .unknownApp,
                    message: "the app \(bundleID) is not installed on device \(id)"
                )
            }
            return try body(&world, device, now)
        }
    }
}
