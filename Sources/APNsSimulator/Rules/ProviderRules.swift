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
    /// The settings for undocumented behavior.
    let switches: APNsSimulatorOptions

    /// Judges a request; `trust` adopts a provider token that passes, and `world` keeps verdicts on signatures.
    ///
    /// - Returns: the registration that the push is for, or the rejection.
    func judge(
        _ request: RequestHead,
        _ facts: ParsedRequestHeaders,
        trust: inout ConnectionAuthentication,
        world: inout SimulatorState,
        now: Double
    ) -> Verdict {
        do throws(RuleViolation) {
            let token = try self.checkPath(request)
            if request.hasDuplicates { throw RuleViolation(.duplicateHeaders) }
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

    /// Rule 1: checks the path, then the method.
    ///
    /// - Returns: the text in the position of the device token.
    private func checkPath(_ request: RequestHead) throws(RuleViolation) -> UnsafeBufferPointer<UInt8> {
        guard let path = request.value(.path), case .device(let token) = DevicePath(path) else {
            throw RuleViolation(.badPath)
        }
        guard let method = request.value(.method), method.equals("POST") else { throw RuleViolation(.methodNotAllowed) }
        return token
    }

    /// 4.
    ///
    /// The syntax of header fields.
    private func checkFields(_ facts: ParsedRequestHeaders, now: Double) throws(RuleViolation) {
        if facts.apnsID == .malformed { throw RuleViolation(.badMessageID) }
        if facts.expiration == .malformed, self.switches.malformedExpiration == .reject {
            throw RuleViolation(.badExpirationDate)
        }
        if self.switches.pastExpiration == .reject, let seconds = facts.expiration.value, seconds != 0,
            Double(seconds) < now
        {
            throw RuleViolation(.badExpirationDate)
        }
        if facts.priority == .malformed { throw RuleViolation(.badPriority) }
        if facts.collapseID == .malformed { throw RuleViolation(.badCollapseID) }
        if facts.kind == .malformed { throw RuleViolation(.invalidPushType) }
        try self.checkPriority(facts)
    }

    private func checkPriority(_ facts: ParsedRequestHeaders) throws(RuleViolation) {
        guard self.switches.priorityCheck != .none else { return }
        let kind = facts.pushKind
        if kind.isBackground, facts.priority == .absent {
            if self.switches.backgroundWithoutPriority == .reject { throw RuleViolation(.badPriority) }
            return
        }
        guard kind.isBackground || self.switches.priorityCheck == .all else { return }
        guard kind.priorities.contains(Priority(rawValue: facts.effectivePriority)) else {
            throw RuleViolation(.badPriority)
        }
    }

    /// 6.
    ///
    /// The body.
    private func checkPayload(_ request: RequestHead, _ facts: ParsedRequestHeaders) throws(RuleViolation) {
        guard request.bodyCount > 0 else { throw RuleViolation(.payloadEmpty) }
        guard request.bodyCount <= facts.pushKind.maximumPayloadBytes else { throw RuleViolation(.payloadTooLarge) }
        if let reason = self.switches.nonJSONPayload, !JSONValidator.isObject(request.body) {
            throw RuleViolation(reason)
        }
    }

    /// 7.
    ///
    /// The device token.
    private func checkToken(
        _ token: UnsafeBufferPointer<UInt8>,
        topic: RequestTopic,
        world: borrowing SimulatorState,
        now: Double
    ) throws(RuleViolation) -> RegistrationIndex {
        guard !token.isEmpty else { throw RuleViolation(.missingDeviceToken) }
        let acceptsUpperCase = self.switches.upperCaseDeviceToken == .accept
        guard let key = TokenKey(hex: token, acceptsUpperCase: acceptsUpperCase),
            let index = world.registration(of: key)
        else { throw RuleViolation(.badDeviceToken) }
        let standing = world.standing(of: index, now: now)
        guard standing.environment == self.environment else { throw RuleViolation(.badDeviceToken) }
        guard topic.equals(world.topics[standing.topic].bytes) else { throw RuleViolation(.deviceTokenNotForTopic) }
        if let since = standing.inactiveSince { throw RuleViolation(standing.inactiveReason, inactiveSince: since) }
        return index
    }

    /// 8.
    ///
    /// How many pushes a device token gets in a while.
    private func checkRate(
        _ index: RegistrationIndex,
        rates: inout DeviceRateLimiter,
        now: Double
    ) throws(RuleViolation) {
        guard let rate = self.switches.connections.deviceRate else { return }
        let burst = Double(self.switches.connections.deviceBurst)
        guard rates.admit(index, perSecond: rate, burst: burst, now: now) else { throw RuleViolation(.tooManyRequests) }
    }
}

/// 3.
///
/// Authentication.
extension ProviderRules {
    /// How long a provider token is valid.
    ///
    /// Unit: seconds.
    private static let tokenLifetime: Double = 3600
    /// How far apart two changes of the provider token have to be on one connection.
    ///
    /// Unit: seconds.
    private static let tokenUpdateInterval: Double = 20 * 60

    func authenticate(
        _ request: RequestHead,
        trust: inout ConnectionAuthentication,
        world: inout SimulatorState,
        now: Double
    ) throws(RuleViolation) {
        if trust.certificate != nil { return try self.checkCertificate(trust) }
        guard let field = request.value(.authorization) else { throw RuleViolation(.missingProviderToken) }
        guard let token = self.bearerToken(field) else { throw RuleViolation(.invalidProviderToken) }
        let isInUse = trust.holds(token)
        if let issuedAt = trust.token?.issuedAt, isInUse, trust.keysRevision == world.keys.revision {
            return try self.checkAge(issuedAt, now: now)
        }
        let acceptsQuoted = self.switches.quotedIssuedAt == .accept
        guard let verified = world.keys.verify(Array(token), acceptsQuotedIssuedAt: acceptsQuoted) else {
            throw RuleViolation(.invalidProviderToken)
        }
        try self.checkAge(verified.issuedAt, now: now)
        guard verified.key.environments.contains(self.environment) else {
            throw RuleViolation(self.switches.otherEnvironmentKey)
        }
        try self.checkBinding(verified, trust: trust)
        if isInUse { return trust.renew(verified, keysRevision: world.keys.revision) }
        // An update that lies ahead is from before the clock was put back.
        if let lastUpdate = trust.lastUpdate, (0..<Self.tokenUpdateInterval).contains(now - lastUpdate) {
            throw RuleViolation(.tooManyProviderTokenUpdates)
        }
        trust.adopt(
            verified,
            at: now,
            countsFirst: self.switches.countsFirstProviderToken,
            keysRevision: world.keys.revision,
            teamsRevision: world.teams.revision
        )
    }

    private func checkCertificate(_ trust: ConnectionAuthentication) throws(RuleViolation) {
        guard let certificate = trust.certificate, !certificate.environments.isEmpty, !certificate.topics.isEmpty else {
            throw RuleViolation(.badCertificate)
        }
        guard certificate.environments.contains(self.environment) else {
            throw RuleViolation(.badCertificateEnvironment)
        }
    }

    /// The token after the scheme `bearer`.
    private func bearerToken(_ field: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        let scheme: StaticString = "bearer "
        let length = scheme.utf8CodeUnitCount
        guard field.count > length else { return nil }
        if !field.hasPrefix(scheme) {
            guard self.switches.upperCaseBearer == .accept else { return nil }
            for index in 0..<length where field[index] | 0x20 != scheme.utf8Start[index] { return nil }
        }
        return UnsafeBufferPointer(rebasing: field[length...])
    }

    private func checkAge(_ issuedAt: Double, now: Double) throws(RuleViolation) {
        if now - issuedAt > Self.tokenLifetime { throw RuleViolation(.expiredProviderToken) }
        if issuedAt - now > Self.tokenLifetime, let reason = self.switches.futureProviderToken {
            throw RuleViolation(reason)
        }
    }

    private func checkBinding(_ token: VerifiedProviderToken, trust: ConnectionAuthentication) throws(RuleViolation) {
        guard let bound = trust.boundKey else { return }
        guard bound.teamID == token.key.teamID else { throw RuleViolation(self.switches.otherTeam) }
        guard bound.isRelated(to: token.key) else { throw RuleViolation(.unrelatedKeyIDInToken) }
    }
}

extension ConnectionAuthentication {
    /// Whether this is the provider token in use, byte for byte.
    func holds(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bytes = self.token?.bytes else { return false }
        return token.equals(bytes)
    }
}

/// 5.
///
/// The topic.
extension ProviderRules {
    func checkTopic(
        _ request: RequestHead,
        _ facts: ParsedRequestHeaders,
        trust: ConnectionAuthentication,
        teams: TeamDirectory
    ) throws(RuleViolation) -> RequestTopic {
        let kind = facts.pushKind
        guard let topic = request.value(.topic) else {
            guard let only = trust.certificate?.defaultTopic else { throw RuleViolation(.missingTopic) }
            try self.checkTrust(of: kind, in: trust)
            return .certificate(only)
        }
        guard Self.isWellFormed(topic) else { throw RuleViolation(.badTopic) }
        try self.checkTrust(of: kind, in: trust)
        if let reason = self.switches.missingTopicSuffix,
            !topic.hasSuffix(kind.suffix) || topic.count == kind.suffix.count
        {
            throw RuleViolation(reason)
        }
        if let certificate = trust.certificate {
            guard certificate.topics.contains(where: { topic.equals($0) }) else {
                throw RuleViolation(self.switches.topicNotInCertificate)
            }
        } else if let key = trust.token?.key {
            try self.checkKey(key, topic: topic, suffix: kind.suffix, trust: trust, teams: teams)
        }
        return .named(topic)
    }

    /// A key sends to its own topics only, and to the apps that its team had at the connection's first push.
    private func checkKey(
        _ key: ProviderKey,
        topic: UnsafeBufferPointer<UInt8>,
        suffix: [UInt8],
        trust: ConnectionAuthentication,
        teams: TeamDirectory
    ) throws(RuleViolation) {
        if case .team = key.scope, teams.isEmpty { return }
        let bundleID = Array(topic.dropLast(topic.hasSuffix(suffix) ? suffix.count : 0))
        if case .topics(let topics) = key.scope, !topics.contains(bundleID), !topics.contains(Array(topic)) {
            throw RuleViolation(.topicDisallowed)
        }
        switch teams.standing(of: bundleID, team: key.teamID, boundAt: trust.teamsRevision) {
        case .allowed: break
        case .foreign: throw RuleViolation(self.switches.connections.foreignBundleID)
        case .addedLater: throw RuleViolation(self.switches.connections.lateBundleID)
        }
    }

    /// Some push types need a provider token.
    private func checkTrust(of kind: PushTypeRules, in trust: ConnectionAuthentication) throws(RuleViolation) {
        guard trust.certificate != nil, kind.trust == .tokenOnly else { return }
        if let reason = self.switches.tokenOnlyPushType { throw RuleViolation(reason) }
    }

    /// 1...255 letters, digits, dots, dashes and underscores.
    private static func isWellFormed(_ topic: UnsafeBufferPointer<UInt8>) -> Bool {
        guard (1...255).contains(topic.count) else { return false }
        for byte in topic {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return true
    }
}

/// The topic that a request is about: its own header field, or the only topic of the connection's certificate.
enum RequestTopic {
    case named(UnsafeBufferPointer<UInt8>)
    case certificate([UInt8])

    func equals(_ other: [UInt8]) -> Bool {
        switch self {
        case .named(let bytes): bytes.equals(other)
        case .certificate(let bytes): bytes == other
        }
    }
}

/// The result of the rules for a request.
enum Verdict: Equatable, Sendable {
    /// It is a push to this registration.
    case accepted(RegistrationIndex)
    case rejected(Rejection)
    /// It is a broadcast or a channel management request, with this response.
    case answered(ChannelResponse)
}

/// The reason why a rule refuses a request.
struct RuleViolation: Error, Equatable {
    var reason: RejectionReason
    /// When the token became inactive, in milliseconds since 1970; only for status 410.
    var inactiveSince: Int64?

    init(_ reason: RejectionReason, inactiveSince: Int64? = nil) {
        self.reason = reason
        self.inactiveSince = inactiveSince
    }

    var rejection: Rejection { Rejection(self.reason, inactiveSince: self.inactiveSince) }
}

/// The recent push rate of each device token that received a push.
struct DeviceRateLimiter: Sendable {
    private struct Bucket {
        var left: Double
        var filledAt: Double
    }

    /// The number of tokens up to which none is removed.
    private static let maximumBuckets = 100_000

    /// The number of tokens at which those with a full budget are removed: twice the number that remained after the
    /// last removal.
    private(set) var limit = Self.maximumBuckets
    private var buckets: [RegistrationIndex: Bucket] = [:]

    /// Records a push: `perSecond` pass on average, `burst` at once.
    ///
    /// - Returns: whether the push passes.
    mutating func admit(_ index: RegistrationIndex, perSecond: Double, burst: Double, now: Double) -> Bool {
        var bucket = self.buckets[index] ?? Bucket(left: burst, filledAt: now)
        bucket.left = min(burst, bucket.left + max(0, now - bucket.filledAt) * perSecond)
        bucket.filledAt = now
        defer { self.buckets[index] = bucket }
        if self.buckets.count >= self.limit {
            self.buckets = self.buckets.filter { $1.left + (now - $1.filledAt) * perSecond < burst }
            self.limit = max(Self.maximumBuckets, 2 * self.buckets.count)
        }
        guard bucket.left >= 1 else { return false }
        bucket.left -= 1
        return true
    }
}
