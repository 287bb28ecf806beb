// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// 5.
///
/// The topic.
extension ProviderRules {
    func checkTopic(
        _ request: RequestHead,
        _ facts: RequestFacts,
        trust: ConnectionTrust,
        teams: TeamDirectory
    ) throws(Refusal) -> RequestTopic {
        let kind = facts.pushKind
        guard let topic = request.value(.topic) else {
            guard let only = trust.certificate?.defaultTopic else { throw Refusal(.missingTopic) }
            try self.checkTrust(of: kind, in: trust)
            return .certificate(only)
        }
        guard Self.isWellFormed(topic) else { throw Refusal(.badTopic) }
        try self.checkTrust(of: kind, in: trust)
        if let reason = self.switches.missingTopicSuffix,
            !topic.hasSuffix(kind.suffix) || topic.count == kind.suffix.count
        {
            throw Refusal(reason)
        }
        if let certificate = trust.certificate {
            guard certificate.topics.contains(where: { topic.equals($0) }) else {
                throw Refusal(self.switches.topicNotInCertificate)
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
        trust: ConnectionTrust,
        teams: TeamDirectory
    ) throws(Refusal) {
        if case .team = key.scope, teams.isEmpty { return }
        let bundleID = Array(topic.dropLast(topic.hasSuffix(suffix) ? suffix.count : 0))
        if case .topics(let topics) = key.scope, !topics.contains(bundleID), !topics.contains(Array(topic)) {
            throw Refusal(.topicDisallowed)
        }
        switch teams.standing(of: bundleID, team: key.teamID, boundAt: trust.teamsRevision) {
        case .allowed: break
        case .foreign: throw Refusal(self.switches.connections.foreignBundleID)
        case .addedLater: throw Refusal(self.switches.connections.lateBundleID)
        }
    }

    /// Some push types need a provider token.
    private func checkTrust(of kind: PushKind, in trust: ConnectionTrust) throws(Refusal) {
        guard trust.certificate != nil, kind.trust == .tokenOnly else { return }
        if let reason = self.switches.tokenOnlyPushType { throw Refusal(reason) }
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
