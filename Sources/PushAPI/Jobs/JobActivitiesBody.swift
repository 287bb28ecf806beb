// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which activities a job changes, and how, as it is written.
struct JobActivitiesBody: Encodable {
    struct Instant: Encodable {
        let name: String
        let from: Int
        let until: Int
    }

    private enum CodingKeys: String, CodingKey {
        case attributesType
        case state
        case instant
        case condition = "where"
        case change
    }

    let attributesType: String
    let state: String?
    let instant: Instant?
    let condition: JSONValue?
    let change: ActivityChangeBody

    init(_ work: JobActivities) throws {
        self.attributesType = work.attributesType.rawValue
        self.state = work.state?.rawValue
        self.instant = work.window.map { Instant(name: $0.instant.rawValue, from: $0.from, until: $0.until) }
        self.condition = try work.condition.map { try JSONValue(json: $0.bytes) }
        self.change = try ActivityChangeBody(work.change)
    }
}

/// A change of an activity, as it is written.
struct ActivityChangeBody: Encodable {
    struct End: Encodable {
        let dismissal: String?
        let at: Date?
        let after: Int?
    }

    let contentState: JSONValue?
    let patch: JSONValue?
    let alert: JSONValue?
    let staleDate: String?
    let staleAfter: Int?
    let relevanceScore: Double?
    let priority: Int
    let budget: String?
    let end: End?

    init(_ change: ActivityChange) throws {
        switch change.contentState {
        case nil: (self.contentState, self.patch) = (nil, nil)
        case .replaced(let state): (self.contentState, self.patch) = (try JSONValue(json: state.bytes), nil)
        case .patched(let patch): (self.contentState, self.patch) = (nil, try JSONValue(json: patch.bytes))
        }
        self.alert = change.alert.map(Self.alert)
        switch change.staleDate {
        case nil: (self.staleDate, self.staleAfter) = (nil, nil)
        case .never: (self.staleDate, self.staleAfter) = ("never", nil)
        case .at(let date): (self.staleDate, self.staleAfter) = (date.formatted(Timestamp.style), nil)
        case .after(let seconds): (self.staleDate, self.staleAfter) = (nil, seconds)
        }
        self.relevanceScore = change.relevanceScore
        self.priority = change.priority.rawValue
        // What is not told is not shown: it warns.
        self.budget = change.budget.flatMap { $0.policy == .warn ? nil : $0.policy.rawValue }
        self.end = change.end.map { end in
            switch end {
            case .standard: End(dismissal: "standard", at: nil, after: nil)
            case .immediate: End(dismissal: "immediate", at: nil, after: nil)
            case .at(let date): End(dismissal: nil, at: date, after: nil)
            case .after(let seconds): End(dismissal: nil, at: nil, after: seconds)
            }
        }
    }

    private static func alert(_ alert: LiveActivityAlert) -> JSONValue {
        var members: [String: JSONValue] = ["title": self.text(alert.title), "body": self.text(alert.body)]
        if let sound = alert.sound { members["sound"] = .string(sound) }
        return .object(members)
    }

    private static func text(_ text: AlertText) -> JSONValue {
        switch text {
        case .plain(let text): .string(text)
        case .localized(let key, let arguments):
            ["key": .string(key), "arguments": .array(arguments.map { .string($0) })]
        }
    }
}
