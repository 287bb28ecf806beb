// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The members of a payload's `aps` that a device reads.
struct ParsedAPS: Sendable {
    private let aps: [String: JSONValue]

    init(_ payload: [UInt8]) {
        guard case .object(let members)? = try? JSONValue(json: payload), case .object(let aps)? = members["aps"] else {
            self.aps = [:]
            return
        }
        self.aps = aps
    }

    var title: String? { self.alertText("title") }
    var subtitle: String? { self.alertText("subtitle") }

    /// The text of the alert, or its localization key.
    var body: String? {
        if case .string(let text)? = self.aps["alert"] { return text }
        return self.alertText("body") ?? self.alertText("loc-key")
    }

    /// The badge's number; 0 takes it away.
    var badge: Int? {
        switch self.aps["badge"] {
        case .integer(let number)?: Int(clamping: number)
        case .double(let number)?: Int(exactly: number.rounded())
        default: nil
        }
    }

    var sound: String? {
        switch self.aps["sound"] {
        case .string(let name)?: name
        case .object(let sound)?: if case .string(let name)? = sound["name"] { name } else { "default" }
        default: nil
        }
    }

    var threadID: String? { self.text("thread-id") }
    var category: String? { self.text("category") }

    /// One of Apple's four words; `active` where the payload has none of them.
    var interruptionLevel: String {
        let levels: Set<String> = ["passive", "active", "time-sensitive", "critical"]
        return self.text("interruption-level").flatMap { levels.contains($0) ? $0 : nil } ?? "active"
    }

    var relevanceScore: Double? {
        switch self.aps["relevance-score"] {
        case .integer(let number)?: Double(number)
        case .double(let number)?: number
        default: nil
        }
    }

    /// Whether the notification has visible text.
    var hasAlert: Bool { self.title != nil || self.subtitle != nil || self.body != nil }
    var isContentAvailable: Bool { self.isOne("content-available") }
    var isMutable: Bool { self.isOne("mutable-content") }

    private func isOne(_ key: String) -> Bool {
        switch self.aps[key] {
        case .integer(let number)?: number == 1
        case .double(let number)?: number == 1
        case .bool(let flag)?: flag
        default: false
        }
    }

    private func text(_ key: String) -> String? {
        if case .string(let text)? = self.aps[key] { text } else { nil }
    }

    private func alertText(_ key: String) -> String? {
        guard case .object(let alert)? = self.aps["alert"], case .string(let text)? = alert[key] else { return nil }
        return text
    }
}
