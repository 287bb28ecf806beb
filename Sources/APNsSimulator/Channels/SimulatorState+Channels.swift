// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Broadcasts and channel management, carried out.
extension SimulatorState {
    /// Takes a broadcast or a channel management request through faults, rules and delivery.
    mutating func handleChannels(
        _ request: RequestHead,
        _ service: ProviderService,
        trust: inout ConnectionAuthentication,
        rules: ChannelRules,
        now: Double
    ) -> Handling {
        self.advance(to: now)
        self.statistics.requests += 1
        let requestID = ChannelRules.requestID(request).value ?? .random()
        var strike: FaultEffect?
        if !self.faults.isEmpty, let struck = self.faults.strike(request, trust: trust, now: now) {
            self.statistics.faulted += 1
            if let answer = ChannelResponse(struck.action, requestID: requestID) {
                return Handling(verdict: .answered(answer))
            }
            guard struck.processesRequest else { return Handling(fault: struck.action) }
            strike = struck
        }
        let answer = self.answer(request, service, trust: &trust, rules: rules, requestID: requestID, now: now)
        return Handling(verdict: .answered(answer), fault: strike?.action, hold: strike?.hold)
    }

    private mutating func answer(
        _ request: RequestHead,
        _ service: ProviderService,
        trust: inout ConnectionAuthentication,
        rules: ChannelRules,
        requestID: APNsID,
        now: Double
    ) -> ChannelResponse {
        do throws(RuleViolation) {
            let operation = try rules.judge(request, service: service, trust: &trust, world: &self, now: now)
            let switches = rules.provider.switches.channels
            return try self.perform(
                operation,
                payload: request.body,
                environment: rules.provider.environment,
                requestID: requestID,
                switches: switches,
                now: now
            )
        } catch {
            self.statistics.rejected[error.reason, default: 0] += 1
            return ChannelResponse(error.rejection, requestID: requestID)
        }
    }

    private mutating func perform(
        _ operation: ChannelOperation,
        payload: UnsafeBufferPointer<UInt8>,
        environment: APNsEnvironment,
        requestID: APNsID,
        switches: ChannelOptions,
        now: Double
    ) throws(RuleViolation) -> ChannelResponse {
        switch operation {
        case .create(let bundleID, let policy):
            let key = try self.createChannel(
                bundleID,
                environment: environment,
                policy: policy,
                switches: switches,
                now: now
            )
            var answer = ChannelResponse(status: 201, requestID: requestID)
            answer.channelID = key.id
            return answer
        case .read(let key):
            var answer = ChannelResponse(status: 200, requestID: requestID)
            let policy = self.channels[key]?.policy ?? .noMessageStored
            answer.body = Array(#"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#.utf8)
            return answer
        case .delete(let key):
            self.deleteChannel(key, now: now)
            return ChannelResponse(status: 204, requestID: requestID)
        case .list(let bundleID):
            var answer = ChannelResponse(status: 200, requestID: requestID)
            let ids = self.channels.channels(bundleID, environment).map { JSONOutput.string($0.key.id) }
            answer.body = JSONOutput.object([("channels", .array(ids))]).bytes
            return answer
        case .broadcast(let key, let priority, let expiration):
            self.statistics.accepted += 1
            var answer = ChannelResponse(status: 200, requestID: requestID)
            let message = BroadcastMessage(
                number: 0,
                payload: Array(payload),
                priority: priority,
                requestID: requestID,
                uniqueID: .random(),
                acceptedAt: now,
                storedUntil: self.storedUntil(key, expiration: Double(expiration), now: now)
            )
            answer.uniqueID = message.uniqueID
            self.broadcast(message, on: key, now: now)
            return answer
        }
    }

    /// Creates a channel with an ID that was never used.
    ///
    /// - Throws: ``RuleViolation`` `CannotCreateChannelConfig` if the app has the maximum number of channels.
    mutating func createChannel(
        _ bundleID: String,
        environment: APNsEnvironment,
        policy: ChannelStoragePolicy,
        switches: ChannelOptions,
        now: Double
    ) throws(RuleViolation) -> ChannelKey {
        var generator = SystemRandomNumberGenerator()
        let id = ChannelKey.randomID(bytes: switches.idBytes, using: &generator)
        let key = ChannelKey(bundleID: bundleID, environment: environment, id: id)
        try self.channels.create(key, policy: policy, quota: switches.quota, now: now)
        return key
    }

    /// Deletes a channel; its record is removed when its stored message expires.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    mutating func deleteChannel(_ key: ChannelKey, now: Double) -> Bool {
        guard self.channels.delete(key, now: now) else { return false }
        if let until = self.channels[key]?.stored(now: now)?.storedUntil {
            self.timeline.schedule(.channel(ChannelTimerEvent(channel: key)), at: until)
        }
        return true
    }

    /// Until when a message is stored: never beyond its expiration nor 8 hours.
    private func storedUntil(_ key: ChannelKey, expiration: Double, now: Double) -> Double? {
        guard self.channels[key]?.policy == .mostRecentMessageStored, expiration > now else { return nil }
        return min(expiration, now + ChannelRecord.maximumStorage)
    }

    /// Sends a message to every activity that is subscribed; those on devices that are offline get the stored one
    /// later.
    private mutating func broadcast(_ message: BroadcastMessage, on key: ChannelKey, now: Double) {
        guard let number = self.channels.change(key, { $0.add(message) }), let channel = self.channels[key] else {
            return
        }
        var message = message
        message.number = number
        for activity in channel.subscribers { self.deliver(message, on: key, to: activity, now: now) }
    }

    private mutating func deliver(
        _ message: BroadcastMessage,
        on key: ChannelKey,
        to activity: ActivityID,
        now: Double
    ) {
        guard let record = self.activities[activity], let device = self.devices.index(of: record.device),
            self.isOnline(device)
        else { return }
        _ = self.channels.change(key) { $0.noteDelivery(message.number, to: activity) }
        self.arriveBroadcast(message, for: activity, on: device, now: now)
    }

    /// Delivers the stored broadcasts to the activities of a device that came online.
    mutating func deliverStoredBroadcasts(to device: DeviceIndex, now: Double) {
        for activity in self.activities.activities(of: self.devices.id(of: device)) {
            guard case .channel(let id) = activity.pushType else { continue }
            let key = ChannelKey(bundleID: activity.bundleID, environment: self.environment(of: device), id: id)
            guard let message = self.channels[key]?.pending(for: activity.id, now: now) else { continue }
            self.deliver(message, on: key, to: activity.id, now: now)
        }
    }

    /// Removes a deleted channel whose stored message has expired.
    mutating func happen(_ event: ChannelTimerEvent, now: Double) {
        self.channels.forgetIfDone(event.channel, now: now)
    }
}

extension ChannelKey {
    /// Random bytes in base64.
    static func randomID(bytes count: Int, using generator: inout some RandomNumberGenerator) -> String {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes.append(.random(in: .min ... .max, using: &generator)) }
        return Data(bytes).base64EncodedString()
    }
}
