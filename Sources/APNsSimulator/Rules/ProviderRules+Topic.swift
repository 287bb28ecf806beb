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
        trust: ConnectionTrust
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
        } else if let key = trust.token?.key, case .topics(let topics) = key.scope {
            let bundleID = Array(topic.dropLast(topic.hasSuffix(kind.suffix) ? kind.suffix.count : 0))
            guard topics.contains(bundleID) || topics.contains(Array(topic)) else { throw Refusal(.topicDisallowed) }
        }
        return .named(topic)
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
