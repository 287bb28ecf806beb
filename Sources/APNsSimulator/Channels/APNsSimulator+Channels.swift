// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Broadcast channels, from Swift.
///
/// Broadcasts come through the provider port.
extension APNsSimulator {
    /// Creates a broadcast channel, as the Push Notifications Console does.
    ///
    /// - Parameters:
    ///   - bundleID: the app.
    ///   - environment: its service; `nil` is the simulator's default.
    ///   - storagePolicy: whether it stores the most recent message for devices that are offline.
    /// - Returns: the channel, without messages and subscribers.
    /// - Throws: ``APNsSimulatorError`` `channelRefused` without the broadcast capability or over the quota.
    public func createChannel(
        for bundleID: String,
        environment: APNsEnvironment? = nil,
        storagePolicy: ChannelStoragePolicy = .noMessageStored
    ) throws(APNsSimulatorError) -> BroadcastChannel {
        let environment = environment ?? self.configuration.environment
        do {
            return try self.core.withWorld { world in
                let now = world.now
                let switches = world.switches.channels
                guard (try? Topic(bundleID)) != nil, PushTypeRules.bundleID(of: bundleID) == bundleID else {
                    throw RuleViolation(.topicDisallowed)
                }
                guard world.channels.isEnabled(bundleID, switches) else { throw RuleViolation(.featureNotEnabled) }
                let key = try world.createChannel(
                    bundleID,
                    environment: environment,
                    policy: storagePolicy,
                    switches: switches,
                    now: now
                )
                guard let record = world.channels[key] else { throw RuleViolation(.channelNotRegistered) }
                return BroadcastChannel(record)
            }
        } catch {
            let reason = (error as? RuleViolation)?.reason ?? .unknown
            throw APNsSimulatorError(code: .channelRefused, message: "no channel for \(bundleID): \(reason)")
        }
    }

    /// The channels of an app, in the order of their creation.
    ///
    /// - Parameters:
    ///   - bundleID: the app.
    ///   - environment: their service; `nil` is the simulator's default.
    /// - Returns: those that are not deleted, with their latest messages and their subscribers.
    public func channels(of bundleID: String, environment: APNsEnvironment? = nil) -> [BroadcastChannel] {
        let environment = environment ?? self.configuration.environment
        return self.core.withWorld { $0.channels.channels(bundleID, environment).map { BroadcastChannel($0) } }
    }

    /// A channel with its latest messages and its subscribers; `nil` if the app has no channel with this ID.
    public func channel(
        _ id: String,
        of bundleID: String,
        environment: APNsEnvironment? = nil
    ) -> BroadcastChannel? {
        let key = ChannelKey(
            bundleID: bundleID,
            environment: environment ?? self.configuration.environment,
            id: id
        )
        return self.core.withWorld { world in
            world.channels.contains(key) ? world.channels[key].map { BroadcastChannel($0) } : nil
        }
    }

    /// Gives an app the broadcast capability, or takes it away with all its channels.
    public func setBroadcastEnabled(_ isEnabled: Bool, for bundleID: String) {
        self.core.withWorld { world in
            let now = world.now
            world.channels.setEnabled(isEnabled, bundleID: bundleID, now: now)
        }
    }

    /// Whether an app has the broadcast capability.
    public func isBroadcastEnabled(for bundleID: String) -> Bool {
        self.core.withWorld { $0.channels.isEnabled(bundleID, $0.switches.channels) }
    }
}
