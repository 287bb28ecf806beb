// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Devices and their apps.
extension SimulatorState {
    /// How many topics a device is booted with; others are left out.
    private static var maximumTopics: Int { 255 }

    /// Boots a device with tokens for these topics.
    mutating func bootDevice(environment: APNsEnvironment, topics: [String]) -> DeviceIndex {
        var unique: [String] = []
        for topic in topics where unique.count < Self.maximumTopics && !unique.contains(topic) { unique.append(topic) }
        let row = DeviceRow(
            origin: RegistrationIndex(rawValue: Int32(self.registrations.count)),
            registrations: unique.count,
            isProduction: environment == .production
        )
        let device = self.devices.add(row)
        for topic in unique { _ = self.issueToken(topic: topic, device: device) }
        self.statistics.devices += 1
        return device
    }

    /// Creates the full state of a device, which includes all notifications that arrived so far.
    mutating func giveState(_ device: DeviceIndex) {
        guard !self.devices.hasState(device) else { return }
        let row = self.devices[device]
        var (state, effects) = self.makeState(device)
        var expiresAt: Double?
        if row.waiting >= 0 {
            let entry = self.waiting.remove(row.waiting)
            self.devices[device].waiting = -1
            if let record = self.record(entry) {
                expiresAt = record.expiresAt
                let stored = StoredNotification(record: record, registration: row.origin)
                _ = state.store(stored, bundleID: self.topics[record.topic].bundleID)
            }
            self.contents.release(entry.content)
        }
        self.devices.setState(state, of: device)
        self.apply(effects, to: device, now: self.now)
        if let expiresAt { self.planExpiry(at: expiresAt, of: device) }
    }

    // MARK: Apps

    /// Gives the device a token for a topic, unless it has one.
    ///
    /// Without `traits` the app stays as it is, or is as apps are by default; without `token` one is computed.
    mutating func install(
        _ topic: String,
        on device: DeviceIndex,
        traits: SimulatedAppState? = nil,
        token: TokenKey? = nil,
        now: Double
    ) {
        self.giveState(device)
        let bundleID = PushTypeRules.bundleID(of: topic)
        guard let state = self.devices.state(device) else { return }
        let place = state.appIndex(bundleID)
        let hasToken = self.activeToken(for: topic, of: device) != nil
        let registration = hasToken ? nil : self.issueToken(topic: topic, device: device, token: token)
        let name = registration.map { self.tokenCall(of: $0) }
        let hex = registration.map { Hex.text(self.token(of: $0).bytes) } ?? ""
        let switches = self.switches.devices
        self.change(device, now: now) { state, effects in
            let place = place ?? state.apps.count
            if place == state.apps.count { state.apps.append(InstalledApp(bundleID: bundleID, registrations: [])) }
            if let traits { state.change(place, to: traits, switches: switches, now: now, &effects) }
            guard let registration, let name else { return }
            state.apps[place].registrations.append(registration)
            let arguments = ["deviceToken": hex, "topic": topic]
            state.call(name, of: place, about: nil, arguments: arguments, now: now, &effects)
            effects.note(.tokenChanged, bundleID, nil, ["topic": topic, "token": hex])
        }
    }

    /// The registration of a device's token for a topic, which is not that of a Live Activity.
    func activeToken(for topic: String, of device: DeviceIndex) -> RegistrationIndex? {
        guard let state = self.devices.state(device),
            let place = state.appIndex(PushTypeRules.bundleID(of: topic))
        else { return nil }
        return state.apps[place].registrations.first {
            self.topics[self.topic(of: $0)].name == topic && self.registrations.kind(of: $0) == nil
        }
    }

    /// The traits of an app on a device; the defaults for one that is not installed.
    mutating func appTraits(_ bundleID: String, on device: DeviceIndex) -> SimulatedAppState {
        self.giveState(device)
        guard let state = self.devices.state(device), let place = state.appIndex(bundleID) else {
            return SimulatedAppState()
        }
        return state.apps[place].traits
    }

    /// The callback that passes a token to an app.
    private func tokenCall(of registration: RegistrationIndex) -> AppCallback.Name {
        switch self.kind(of: registration) {
        case .pushType("voip"), .pushType("complication"), .pushType("fileprovider"): .pushKitToken
        case .pushType("pushtotalk"): .pushToTalkToken
        case .pushType("widgets"): .widgetToken
        case .pushType("controls"): .controlToken
        default: .didRegister
        }
    }

    /// Removes an app with all its tokens, or only the tokens for a topic.
    ///
    /// The response for them becomes 410 now, or some time after the next push, depending on the switch.
    ///
    /// `name` is a bundle ID, or a topic. Returns whether there was such an app or token.
    mutating func uninstall(_ name: String, from device: DeviceIndex, now: Double) -> Bool {
        self.giveState(device)
        guard let state = self.devices.state(device) else { return false }
        let place = state.apps.firstIndex { app in
            !app.isRemoved
                && (app.bundleID == name || app.registrations.contains { self.topics[self.topic(of: $0)].name == name })
        }
        guard let place else { return false }
        let app = state.apps[place]
        let gone = app.registrations.filter { app.bundleID == name || self.topics[self.topic(of: $0)].name == name }
        let takesApp = gone.count == app.registrations.count
        let isNoticed = self.switches.storage.uninstallNotice == .immediate
        self.change(device, now: now) { state, effects in
            if takesApp { state.forget(place, keepsStore: !isNoticed, &effects) }
        }
        if takesApp, isNoticed, let waiting = app.waiting {
            self.statistics.replaced += 1
            self.statistics.discarded[.appRemoved, default: 0] += 1
            self.note(
                .discarded,
                device: device,
                bundleID: app.bundleID,
                apnsID: waiting.record.apnsID,
                at: now,
                cause: DiscardReason.appRemoved.rawValue
            )
        }
        if takesApp { self.removeActivities(of: app.bundleID, from: device, now: now) }
        if isNoticed || !takesApp { for registration in gone { self.endToken(registration, now: now) } }
        return true
    }

    /// Removes an app and reinstalls it, which replaces all of its tokens.
    ///
    /// - Returns: whether the app was installed.
    mutating func reinstall(_ bundleID: String, on device: DeviceIndex, traits: SimulatedAppState?, now: Double) -> Bool
    {
        self.giveState(device)
        guard let app = self.devices.state(device)?.apps.first(where: { $0.bundleID == bundleID && !$0.isRemoved })
        else { return false }
        let topics = app.registrations.filter { self.registrations.kind(of: $0) == nil }
            .map { self.topics[self.topic(of: $0)].name }
        _ = self.uninstall(bundleID, from: device, now: now)
        for topic in topics { self.install(topic, on: device, traits: traits ?? SimulatedAppState(), now: now) }
        return true
    }

    /// Restores a device's backup to a new device, on which every token is another.
    ///
    /// The old device stays as it is.
    mutating func restore(_ device: DeviceIndex, now: Double) -> DeviceIndex {
        self.giveState(device)
        let environment: APNsEnvironment = self.devices[device].isProduction ? .production : .sandbox
        let new = self.bootDevice(environment: environment, topics: [])
        guard let state = self.devices.state(device) else { return new }
        self.change(new, now: now) { restored, _ in
            restored.traits = state.traits
            restored.traits.isOnline = true
        }
        for app in state.apps where !app.isRemoved {
            var traits = app.traits
            traits.state = .suspended
            for registration in app.registrations where self.registrations.kind(of: registration) == nil {
                let topic = self.topics[self.topic(of: registration)].name
                self.install(topic, on: new, traits: traits, now: now)
            }
        }
        return new
    }

    // MARK: The device

    /// Applies new traits of a device.
    ///
    /// Its stored notifications are delivered, as far as the traits allow.
    mutating func setTraits(_ traits: SimulatedDeviceState, of device: DeviceIndex, now: Double) {
        self.giveState(device)
        guard let old = self.devices.state(device)?.traits, old != traits else { return }
        // A device that is set to its current state only stops following the population.
        var settled = old
        settled.isOnline = old.isOnline
        guard traits != settled else {
            _ = self.devices.withState(device) { $0.traits = traits }
            return
        }
        self.change(device, now: now) { state, effects in
            state.traits = traits
            var details: [String: String] = [:]
            if old.isOnline != traits.isOnline { details["online"] = "\(traits.isOnline)" }
            if old.isLocked != traits.isLocked { details["locked"] = "\(traits.isLocked)" }
            if old.isLowPower != traits.isLowPower { details["lowPower"] = "\(traits.isLowPower)" }
            effects.note(.stateChanged, nil, nil, details)
            if !traits.isOnline { state.inFlightUntil = nil }
        }
        if !traits.isOnline, !self.couriers.isEmpty { self.endCourierSession(of: device, because: .offline, now: now) }
        self.flush(device, isAwake: old.isLocked && !traits.isLocked, now: now)
        if traits.isOnline, !old.isOnline { self.deliverStoredBroadcasts(to: device, now: now) }
        guard old.isLowPower, !traits.isLowPower else { return }
        let switches = self.switches.devices
        self.change(device, now: now) { state, effects in
            for place in state.apps.indices {
                state.releaseHeld(place, isOpened: false, switches: switches, now: now, &effects)
            }
        }
    }

    func isOnline(_ device: DeviceIndex) -> Bool {
        if let state = self.devices.state(device) { return state.traits.isOnline }
        return self.devices[device].origin.populationNumber == nil || self.population?.configuration.isOnline ?? true
    }

    mutating func setOnline(_ isOnline: Bool, device: DeviceIndex, now: Double) {
        self.giveState(device)
        guard var traits = self.devices.state(device)?.traits else { return }
        traits.isOnline = isOnline
        self.setTraits(traits, of: device, now: now)
    }
}

/// Tokens and their registrations.
extension SimulatorState {
    /// The registration of a token, active or not.
    func registration(of key: TokenKey) -> RegistrationIndex? {
        if let given = self.registrations.given(key) { return given }
        if case .standard(let token) = key, let number = self.population?.tokens.number(token) {
            let isKnown = self.population?.tokens.standing(number) != .invalid
            return isKnown ? RegistrationIndex(populationNumber: number) : nil
        }
        return self.registrations.computed(key)
    }

    /// The state of a registration, as input for the rules.
    func standing(of index: RegistrationIndex, now: Double) -> TokenStatus {
        guard let number = index.populationNumber, let population = self.population else {
            let registration = self.registrations[index]
            return TokenStatus(
                topic: registration.topic,
                environment: registration.environment,
                inactiveSince: registration.inactiveSince,
                inactiveReason: registration.inactiveReason
            )
        }
        let isGone = population.tokens.standing(number) == .unregistered
        return TokenStatus(
            topic: population.topic,
            environment: population.configuration.environment,
            // Cannot trap: the simulated time ends with the year 9999.
            inactiveSince: isGone ? Int64((now * 1000).rounded()) : self.registrations.populationEnd(index),
            inactiveReason: .unregistered
        )
    }

    func kind(of index: RegistrationIndex) -> TokenKind {
        if let kind = self.registrations.kind(of: index) { return kind }
        return self.topics[self.topic(of: index)].kind
    }

    func topic(of index: RegistrationIndex) -> TopicIndex {
        if index.populationNumber != nil, let topic = self.population?.topic { return topic }
        return self.registrations[index].topic
    }

    func token(of index: RegistrationIndex) -> TokenKey {
        guard let number = index.populationNumber, let population = self.population else {
            return self.registrations.token(of: index)
        }
        return .standard(population.tokens.token(number))
    }

    /// The device of a registration; one of the population has a row from now on.
    mutating func device(of index: RegistrationIndex) -> DeviceIndex {
        guard let number = index.populationNumber else { return self.registrations[index].device }
        if let row = self.population?.row(of: number) { return row }
        let isProduction = self.population?.configuration.environment == .production
        let device = self.devices.add(DeviceRow(origin: index, registrations: 1, isProduction: isProduction))
        self.population?.setRow(device, of: number)
        self.statistics.devices += 1
        return device
    }

    /// Whether a token is active for another topic or device.
    func isTaken(_ key: TokenKey, topic: String, device: DeviceIndex) -> Bool {
        guard let index = self.registration(of: key), self.standing(of: index, now: self.now).inactiveSince == nil
        else {
            return false
        }
        guard index.populationNumber == nil else { return true }
        return self.registrations[index].device != device || self.topics[self.topic(of: index)].name != topic
    }

    /// Issues a token of a device that is active from now on.
    mutating func issueToken(
        topic: String,
        device: DeviceIndex,
        kind: TokenKind? = nil,
        isLong: Bool = false,
        token: TokenKey? = nil
    ) -> RegistrationIndex {
        let registration = TokenRegistration(
            device: device,
            topic: self.topics.index(of: topic),
            environment: self.devices[device].isProduction ? .production : .sandbox,
            isLong: isLong
        )
        return self.registrations.add(registration, kind: kind, token: token)
    }

    /// Responds with 410 for a token from now on.
    ///
    /// With `isExpired` the reason is `ExpiredToken`. A second call has no effect.
    mutating func endToken(_ index: RegistrationIndex, isExpired: Bool = false, now: Double) {
        // Cannot trap: the simulated time ends with the year 9999.
        let milliseconds = Int64((now * 1000).rounded())
        guard self.registrations.deactivate(index, milliseconds: milliseconds, isExpired: isExpired) else { return }
        let device = self.device(of: index)
        let bundleID = self.topics[self.topic(of: index)].bundleID
        self.note(.tokenEnded, device: device, bundleID: bundleID, at: now)
        _ = self.devices.withState(device) { state in
            state.plannedEnds.remove(index)
            guard let place = state.appIndex(index) else { return }
            state.apps[place].registrations.removeAll { $0 == index }
            if state.apps[place].isRemoved, state.apps[place].registrations.isEmpty { state.apps.remove(at: place) }
        }
    }
}
