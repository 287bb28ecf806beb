// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Live Activities in the world: their pushes, and the effects of these.
extension SimulatorState {
    /// A push for a Live Activity reaches its device.
    mutating func arriveActivityPush(
        _ record: NotificationRecord,
        kind: TokenKind,
        at device: DeviceIndex,
        now: Double
    ) {
        let way: ActivityPushDelivery.Way
        switch kind {
        case .activity(let id): way = .token(id)
        case .pushToStart(let type): way = .pushToStart(attributesType: type)
        case .app, .pushType: return
        }
        let bundleID = self.topics[record.topic].bundleID
        let arrival = ActivityPushDelivery(
            host: self.activityHost(device, bundleID),
            bundleID: bundleID,
            way: way,
            payload: record.payload,
            isUrgent: record.priority == Priority.immediate.rawValue,
            apnsID: record.apnsID,
            acceptedAt: record.acceptedAt
        )
        self.arrive(arrival, at: device, now: now)
    }

    /// A broadcast reaches an activity on a device.
    mutating func arriveBroadcast(
        _ message: BroadcastMessage,
        for activity: ActivityID,
        on device: DeviceIndex,
        now: Double
    ) {
        guard let record = self.activities[activity] else { return }
        let arrival = ActivityPushDelivery(
            host: self.activityHost(device, record.bundleID),
            bundleID: record.bundleID,
            way: .broadcast(activity),
            payload: message.payload,
            isUrgent: message.priority == Priority.immediate.rawValue,
            apnsID: message.requestID,
            acceptedAt: message.acceptedAt
        )
        self.arrive(arrival, at: device, now: now)
    }

    private mutating func arrive(_ arrival: ActivityPushDelivery, at device: DeviceIndex, now: Double) {
        let channels = self.channels
        let environment = self.environment(of: device)
        let effects = self.activities.receive(
            arrival,
            newID: .random(),
            switches: self.switches.activities,
            now: now
        ) { id in
            channels.contains(ChannelKey(bundleID: arrival.bundleID, environment: environment, id: id))
        }
        self.perform(effects, now: now)
    }

    /// The state of a device and an app on it, as input for activities.
    func activityHost(_ device: DeviceIndex, _ bundleID: String) -> ActivityDeviceContext {
        let state = self.devices.state(device)
        let traits = state?.traits ?? SimulatedDeviceState()
        let app =
            state.flatMap { state in state.appIndex(bundleID).map { state.apps[$0].traits } } ?? SimulatedAppState()
        let hasActivityKit = traits.systemName == "iOS" || traits.systemName == "iPadOS"
        return ActivityDeviceContext(
            device: self.devices.id(of: device),
            system: hasActivityKit ? traits.systemVersion : SystemVersion(major: 0),
            supportsLiveActivities: app.supportsLiveActivities,
            supportsFrequentUpdates: app.supportsFrequentUpdates,
            isForeground: app.state == .foreground
        )
    }

    /// The service that the tokens of a device belong to.
    func environment(of device: DeviceIndex) -> APNsEnvironment {
        self.devices[device].isProduction ? .production : .sandbox
    }

    /// Executes the due transitions of an activity.
    mutating func happen(_ event: ActivityTimerEvent, now: Double) {
        let effects = self.activities.look(at: event.activity, switches: self.switches.activities, now: now)
        self.perform(effects, now: now)
    }

    /// Removes the activities and the user's settings of an app that is removed from a device.
    mutating func removeActivities(of bundleID: String, from device: DeviceIndex, now: Double) {
        let id = self.devices.id(of: device)
        let effects = self.activities.dismissAll(
            device: id,
            bundleID: bundleID,
            .system,
            switches: self.switches.activities,
            now: now
        )
        self.perform(effects, now: now)
        self.activities.forgetApp(bundleID, on: id)
    }

    // MARK: Effects

    /// Executes the effects of a change.
    mutating func perform(_ effects: [ActivityEffect], now: Double) {
        for effect in effects {
            switch effect {
            case .look(let id, let due):
                self.timeline.schedule(.activity(ActivityTimerEvent(activity: id)), at: due)
            case .issueToken(let id): self.issueActivityToken(id, now: now)
            case .endToken(let key):
                self.expireToken(key, now: now)
            case .rotatePushToStart(let id, let bundleID, let type):
                guard let device = self.devices.index(of: id) else { continue }
                self.issuePushToStartToken(attributesType: type, bundleID: bundleID, device: device, now: now)
            case .record(let entry): self.note(entry, now: now)
            case .appCall(let id, let bundleID, let name, let details):
                self.call(name, of: bundleID, on: id, arguments: details, now: now)
            case .subscribe(let id, let channel):
                guard let key = self.channelKey(channel, of: id) else { continue }
                let includesStored = self.switches.channels.newSubscribersGetStored
                _ = self.channels.change(key) { $0.subscribe(id, includesStored: includesStored) }
                if let device = self.activities[id].flatMap({ self.devices.index(of: $0.device) }), includesStored {
                    self.deliverStoredBroadcasts(to: device, now: now)
                }
            case .unsubscribe(let id, let channel):
                guard let key = self.channelKey(channel, of: id) else { continue }
                _ = self.channels.change(key) { $0.unsubscribe(id) }
            }
        }
    }

    private func channelKey(_ channel: String, of id: ActivityID) -> ChannelKey? {
        guard let record = self.activities[id], let device = self.devices.index(of: record.device) else { return nil }
        return ChannelKey(bundleID: record.bundleID, environment: self.environment(of: device), id: channel)
    }

    private mutating func issueActivityToken(_ id: ActivityID, now: Double) {
        guard let record = self.activities[id], let device = self.devices.index(of: record.device) else { return }
        let key = self.issue(.activity(id), bundleID: record.bundleID, device: device)
        let effects = self.activities.takeToken(key, for: id, switches: self.switches.activities, now: now)
        self.perform(effects, now: now)
    }

    /// Generates the push-to-start token of a type on a device; it replaces the current one.
    @discardableResult
    mutating func issuePushToStartToken(
        attributesType: String,
        bundleID: String,
        device: DeviceIndex,
        now: Double
    ) -> TokenKey {
        let id = self.devices.id(of: device)
        let older = self.activities[id, bundleID].pushToStart[attributesType]
        let key = self.issue(.pushToStart(attributesType: attributesType), bundleID: bundleID, device: device)
        self.activities[id, bundleID].pushToStart[attributesType] = key
        if let older { self.expireToken(older, now: now) }
        self.call(
            .pushToStartToken,
            of: bundleID,
            on: id,
            arguments: ["attributesType": attributesType, "token": Hex.text(key.bytes)],
            now: now
        )
        return key
    }

    /// Responds with `ExpiredToken` for a token from now on, unless the response is 410 already.
    private mutating func expireToken(_ key: TokenKey, now: Double) {
        guard let index = self.registration(of: key), self.standing(of: index, now: now).inactiveSince == nil else {
            return
        }
        self.endToken(index, isExpired: true, now: now)
    }

    private mutating func issue(_ kind: TokenKind, bundleID: String, device: DeviceIndex) -> TokenKey {
        let suffix = PushType.liveactivity.rule?.topicSuffix ?? ""
        self.giveState(device)
        let index = self.issueToken(
            topic: bundleID + suffix,
            device: device,
            kind: kind,
            isLong: self.switches.activities.longTokens
        )
        _ = self.devices.withState(device) { state in
            guard let place = state.appIndex(bundleID) else { return }
            state.apps[place].registrations.append(index)
        }
        return self.token(of: index)
    }

    private mutating func call(
        _ name: AppCallback.Name,
        of bundleID: String,
        on id: VirtualDeviceID,
        arguments: [String: String],
        now: Double
    ) {
        guard let device = self.devices.index(of: id) else { return }
        self.change(device, now: now) { state, effects in
            guard let place = state.appIndex(bundleID) else { return }
            state.call(name, of: place, about: nil, arguments: arguments, now: now, &effects)
        }
    }

    /// Publishes an entry to the feed, and counts pushes without effect.
    private mutating func note(_ log: ActivityLogEntry, now: Double) {
        let entry = log.entry
        let isIgnored = entry.change == .ignored
        if isIgnored { self.statistics.discarded[.activityUnchanged, default: 0] += 1 }
        var details = ["change": entry.change.rawValue, "origin": entry.origin.rawValue]
        details["activity"] = log.activity?.rawValue
        details["state"] = entry.state?.rawValue
        details["detail"] = entry.detail
        self.note(
            isIgnored ? .discarded : .activityChanged,
            device: self.devices.index(of: log.device),
            bundleID: log.bundleID,
            apnsID: entry.apnsID,
            at: now,
            cause: entry.cause?.rawValue,
            details: details
        )
    }
}

extension ActivityID {
    /// An identifier that never was: a UUID in upper case, as ActivityKit has them.
    static func random() -> ActivityID { ActivityID(rawValue: APNsID.random().description.uppercased()) }
}

/// The ActivityKit calls of apps, checked against the registered types.
extension SimulatorState {
    /// Starts an activity that an app asks for.
    mutating func startActivity(
        _ request: ActivityRequest,
        on device: DeviceIndex,
        now: Double
    ) throws -> LiveActivity {
        try self.checkContent(
            request.contentState,
            attributes: request.attributes,
            type: request.attributesType,
            bundleID: request.bundleID,
            now: now
        )
        let id = ActivityID.random()
        let channels = self.channels
        let environment = self.environment(of: device)
        let effects = try self.activities.request(
            request,
            id: id,
            host: self.activityHost(device, request.bundleID),
            switches: self.switches.activities,
            now: now
        ) { channel in
            channels.contains(ChannelKey(bundleID: request.bundleID, environment: environment, id: channel))
        }
        self.perform(effects, now: now)
        guard let record = self.activities[id] else {
            throw APNsSimulatorError(code: .unknownActivity, message: "there is no activity \(id)")
        }
        return LiveActivity(record)
    }

    /// Checks content that an app gives its activity.
    func checkContent(
        _ contentState: JSONValue,
        of record: ActivityRecord,
        now: Double
    ) throws(InvalidValueError) {
        try self.checkContent(
            contentState,
            attributes: nil,
            type: record.attributesType,
            bundleID: record.bundleID,
            now: now
        )
    }

    /// A type has a name, and is one of those that the app has registered, where it has registered any.
    func checkType(_ name: String, of bundleID: String) throws(InvalidValueError) {
        guard !name.isEmpty else {
            throw InvalidValueError(field: "attributesType", rule: "the name of a type", value: "nothing")
        }
        let types = self.activities.types(of: bundleID)
        guard !types.isEmpty, self.activities.type(name, of: bundleID) == nil else { return }
        let names = types.map(\.name).joined(separator: ", ")
        throw InvalidValueError(field: "attributesType", rule: "one of \(names)", value: String(name.prefix(80)))
    }

    /// An app can only create values of its types, so the test that passes another value gets an error.
    private func checkContent(
        _ contentState: JSONValue,
        attributes: JSONValue?,
        type name: String,
        bundleID: String,
        now: Double
    ) throws(InvalidValueError) {
        try self.checkType(name, of: bundleID)
        guard let type = self.activities.type(name, of: bundleID) else { return }
        do throws(AttributesSchema.Mismatch) {
            if let attributes { try type.attributes.decode(attributes, path: "attributes", now: now) }
            try type.contentState.decode(contentState, path: "contentState", now: now)
        } catch {
            throw InvalidValueError(field: error.path, rule: error.expected, value: error.found)
        }
    }
}
