// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A push type of Apple's table in the form that rules need: bytes and flags instead of strings and sets.
struct PushTypeRules: Sendable {
    let pushType: PushType
    let name: [UInt8]
    let suffix: [UInt8]
    let priorities: Set<Priority>
    let trust: ProviderAuthentication
    let maximumPayloadBytes: Int
    let isBackground: Bool

    /// Every push type of the table; a request without `apns-push-type` is an alert, the first of them.
    static let all: [PushTypeRules] = PushType.known.compactMap { pushType in
        guard let rule = pushType.rule else { return nil }
        return PushTypeRules(
            pushType: pushType,
            name: Array(pushType.rawValue.utf8),
            suffix: Array(rule.topicSuffix.utf8),
            priorities: rule.priorities,
            trust: rule.trust,
            maximumPayloadBytes: rule.maximumPayloadBytes,
            isBackground: pushType == .background
        )
    }

    /// The suffixes that topics may have, longest first, so that the first match is the right one.
    static let suffixes: [[UInt8]] = Set(Self.all.map(\.suffix)).filter { !$0.isEmpty }.sorted { $0.count > $1.count }

    /// The index in ``all`` of the type with this name.
    static func index(named name: UnsafeBufferPointer<UInt8>) -> Int? {
        for index in self.all.indices where name.equals(self.all[index].name) { return index }
        return nil
    }

    /// The app of a topic: the topic without the suffix that a push type gave it.
    static func bundleID(of topic: String) -> String {
        for suffix in self.suffixes where topic.utf8.count > suffix.count {
            if topic.utf8.suffix(suffix.count).elementsEqual(suffix) { return String(topic.dropLast(suffix.count)) }
        }
        return topic
    }
}
