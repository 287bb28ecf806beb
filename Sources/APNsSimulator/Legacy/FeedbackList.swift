// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the feedback service is going to say: the tokens of an app that pushes went to in vain.
struct FeedbackList: Sendable, Codable, Equatable {
    /// A token that is not used any more.
    struct Entry: Sendable, Codable, Hashable {
        /// When that was found out, in seconds since 1970.
        var seconds: UInt32
        var token: [UInt8]
    }

    private var entries: [String: [Entry]] = [:]

    /// Takes note of a token; one that is on the list already stays as it is.
    mutating func add(_ token: [UInt8], topic: String, seconds: UInt32) {
        let known = self.entries[topic] ?? []
        guard !known.contains(where: { $0.token == token }) else { return }
        self.entries[topic] = known + [Entry(seconds: seconds, token: token)]
    }

    /// Hands over the list of a topic, which is empty from then on.
    mutating func take(topic: String) -> [Entry] {
        self.entries.removeValue(forKey: topic) ?? []
    }

    /// The bytes of entries on the wire: `timestamp u32 | token length u16 | token`, big-endian.
    static func bytes(_ entries: [Entry]) -> [UInt8] {
        entries.flatMap { entry in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: entry.seconds >> $0) }
                + [8, 0].map { UInt8(truncatingIfNeeded: entry.token.count >> $0) } + entry.token
        }
    }
}
