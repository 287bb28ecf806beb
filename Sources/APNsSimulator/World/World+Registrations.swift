// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Tokens and what they stand for.
extension World {
    /// The registration of a token, active or not.
    func registration(of key: TokenKey) -> RegistrationIndex? {
        if let given = self.registrations.given(key) { return given }
        if case .standard(let token) = key, let number = self.population?.tokens.number(token) {
            let isKnown = self.population?.tokens.standing(number) != .invalid
            return isKnown ? RegistrationIndex(populationNumber: number) : nil
        }
        return self.registrations.computed(key)
    }

    /// What a registration says that rules ask for.
    func standing(of index: RegistrationIndex, now: Double) -> RegistrationStanding {
        guard let number = index.populationNumber, let population = self.population else {
            let registration = self.registrations[index]
            return RegistrationStanding(
                topic: registration.topic,
                environment: registration.environment,
                inactiveSince: registration.inactiveSince,
                inactiveReason: registration.inactiveReason
            )
        }
        let isGone = population.tokens.standing(number) == .unregistered
        return RegistrationStanding(
            topic: population.topic,
            environment: population.configuration.environment,
            inactiveSince: isGone ? Int64((now * 1000).rounded()) : self.registrations.populationEnd(index),
            inactiveReason: .unregistered
        )
    }

    /// What the token of a registration is for.
    func kind(of index: RegistrationIndex) -> TokenKind {
        if let kind = self.registrations.kind(of: index) { return kind }
        return self.topics[self.topic(of: index)].kind
    }

    /// The topic of a registration.
    func topic(of index: RegistrationIndex) -> TopicIndex {
        if index.populationNumber != nil, let topic = self.population?.topic { return topic }
        return self.registrations[index].topic
    }

    /// The token of a registration.
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
        guard let population = self.population else {
            preconditionFailure("a number of a population, and no population")
        }
        let isProduction = population.configuration.environment == .production
        let device = self.devices.add(DeviceRow(origin: index, registrations: 1, isProduction: isProduction))
        self.population?.setRow(device, of: number)
        self.statistics.devices += 1
        return device
    }

    /// Whether a token is active and stands for something else than this topic on this device.
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
        let registration = Registration(
            device: device,
            topic: self.topics.index(of: topic),
            environment: self.devices[device].isProduction ? .production : .sandbox,
            isLong: isLong
        )
        return self.registrations.add(registration, kind: kind, token: token)
    }

    /// APNs answers 410 for a token from now on.
    ///
    /// With `isExpired` the reason is `ExpiredToken`. A second time changes nothing.
    mutating func endToken(_ index: RegistrationIndex, isExpired: Bool = false, now: Double) {
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
