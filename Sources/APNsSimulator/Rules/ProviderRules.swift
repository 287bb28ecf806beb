// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The rules of the provider API, in the order in which they are applied.
///
/// Pure: a verdict depends on the request, the connection's state, the world and the time handed in. The order
/// is authentication first and the device token last, as Apple says; the steps between are not documented.
struct ProviderRules: Sendable {
    /// Which of the two services is played.
    let environment: APNsEnvironment
    /// What to do at undocumented edges.
    let switches: APNsSimulatorSwitches

    /// Judges a request.
    ///
    /// - Parameters:
    ///   - request: the fields and the body.
    ///   - facts: what its fields say.
    ///   - trust: by what its connection is trusted; a provider token that passes is adopted.
    ///   - world: keys, devices and tokens; verdicts on signatures are kept there.
    ///   - now: seconds since 1970.
    /// - Returns: the registration that the push is for, or the rejection.
    func judge(
        _ request: RequestHead,
        _ facts: RequestFacts,
        trust: inout ConnectionTrust,
        world: inout World,
        now: Double
    ) -> Verdict {
        do throws(Refusal) {
            let token = try self.checkPath(request)
            if request.hasDuplicates { throw Refusal(.duplicateHeaders) }
            try self.authenticate(request, trust: &trust, world: &world, now: now)
            try self.checkFields(facts, now: now)
            let topic = try self.checkTopic(request, facts, trust: trust, teams: world.teams)
            try self.checkPayload(request, facts)
            let registration = try self.checkToken(token, topic: topic, world: world, now: now)
            try self.checkRate(registration, rates: &world.rates, now: now)
            return .accepted(registration)
        } catch {
            return .rejected(error.rejection)
        }
    }

    /// 1.
    ///
    /// The path, then the method. Returns what stands in the place of the device token.
    private func checkPath(_ request: RequestHead) throws(Refusal) -> UnsafeBufferPointer<UInt8> {
        guard let path = request.value(.path), case .device(let token) = DevicePath(path) else {
            throw Refusal(.badPath)
        }
        guard let method = request.value(.method), method.equals("POST") else { throw Refusal(.methodNotAllowed) }
        return token
    }

    /// 4.
    ///
    /// The syntax of header fields.
    private func checkFields(_ facts: RequestFacts, now: Double) throws(Refusal) {
        if facts.apnsID == .malformed { throw Refusal(.badMessageID) }
        if facts.expiration == .malformed, self.switches.malformedExpiration == .reject {
            throw Refusal(.badExpirationDate)
        }
        if self.switches.pastExpiration == .reject, let seconds = facts.expiration.value, seconds != 0,
            Double(seconds) < now
        {
            throw Refusal(.badExpirationDate)
        }
        if facts.priority == .malformed { throw Refusal(.badPriority) }
        if facts.collapseID == .malformed { throw Refusal(.badCollapseID) }
        if facts.kind == .malformed { throw Refusal(.invalidPushType) }
        try self.checkPriority(facts)
    }

    private func checkPriority(_ facts: RequestFacts) throws(Refusal) {
        guard self.switches.priorityCheck != .none else { return }
        let kind = facts.pushKind
        if kind.isBackground, facts.priority == .absent {
            if self.switches.backgroundWithoutPriority == .reject { throw Refusal(.badPriority) }
            return
        }
        guard kind.isBackground || self.switches.priorityCheck == .all else { return }
        guard kind.priorities.contains(Priority(rawValue: facts.effectivePriority)) else { throw Refusal(.badPriority) }
    }

    /// 6.
    ///
    /// The body.
    private func checkPayload(_ request: RequestHead, _ facts: RequestFacts) throws(Refusal) {
        guard request.bodyCount > 0 else { throw Refusal(.payloadEmpty) }
        guard request.bodyCount <= facts.pushKind.maximumPayloadBytes else { throw Refusal(.payloadTooLarge) }
        if let reason = self.switches.nonJSONPayload, !JSONSyntax.isObject(request.body) { throw Refusal(reason) }
    }

    /// 7.
    ///
    /// The device token.
    private func checkToken(
        _ token: UnsafeBufferPointer<UInt8>,
        topic: RequestTopic,
        world: borrowing World,
        now: Double
    ) throws(Refusal) -> RegistrationIndex {
        guard !token.isEmpty else { throw Refusal(.missingDeviceToken) }
        let acceptsUpperCase = self.switches.upperCaseDeviceToken == .accept
        guard let key = TokenKey(hex: token, acceptsUpperCase: acceptsUpperCase),
            let index = world.registration(of: key)
        else { throw Refusal(.badDeviceToken) }
        let standing = world.standing(of: index, now: now)
        guard standing.environment == self.environment else { throw Refusal(.badDeviceToken) }
        guard topic.equals(world.topics[standing.topic].bytes) else { throw Refusal(.deviceTokenNotForTopic) }
        if let since = standing.inactiveSince { throw Refusal(standing.inactiveReason, inactiveSince: since) }
        return index
    }

    /// 8.
    ///
    /// How many pushes a device token gets in a while.
    private func checkRate(_ index: RegistrationIndex, rates: inout DeviceRates, now: Double) throws(Refusal) {
        guard let rate = self.switches.connections.deviceRate else { return }
        let burst = Double(self.switches.connections.deviceBurst)
        guard rates.admit(index, perSecond: rate, burst: burst, now: now) else { throw Refusal(.tooManyRequests) }
    }
}
