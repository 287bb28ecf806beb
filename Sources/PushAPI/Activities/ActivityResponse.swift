// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import JSONSchema
import PushModel
import PushStore

/// An activity, as returned by the API.
struct ActivityResponse: Encodable {
    let app: String
    let id: String
    let attributesType: String
    let attributes: JSONValue?
    let contentState: JSONValue?
    let state: String
    let version: Int
    let timestamp: Int64
    let priority: Int
    let staleDate: Date?
    let relevanceScore: Double?
    let instants: [String: Date]
    let channel: ActivityChannelResponse?
    let createdAt: Date
    let startedAt: Date?
    let expiresAt: Date?
    let endedAt: Date?
    var participantCounts: ParticipantCountsResponse?
    var rollouts: [RolloutResponse]?

    init(_ activity: Activity) throws {
        let lifecycle = activity.lifecycle
        self.app = activity.app.rawValue
        self.id = activity.id.rawValue
        self.attributesType = activity.attributesType.rawValue
        self.attributes = try activity.attributes.map { try JSONValue(json: $0.bytes) }
        self.contentState = try lifecycle.contentState.map { try JSONValue(json: $0.bytes) }
        self.state = lifecycle.state.rawValue
        self.version = lifecycle.version
        self.timestamp = lifecycle.timestamp
        self.priority = lifecycle.priority.rawValue
        self.staleDate = lifecycle.staleDate.map { Date(timeIntervalSince1970: Double($0)) }
        self.relevanceScore = lifecycle.relevanceScore
        self.instants = Dictionary(uniqueKeysWithValues: activity.instants.map { ($0.key.rawValue, $0.value) })
        self.channel = activity.channel.map { ActivityChannelResponse($0) }
        self.createdAt = activity.createdAt
        self.startedAt = lifecycle.startedAt
        self.expiresAt = lifecycle.state.isOver ? nil : lifecycle.expiresAt
        self.endedAt = lifecycle.endedAt
    }
}

/// The number of participants of an activity by state, as returned by the API.
struct ParticipantCountsResponse: Encodable {
    let starting: Int
    let active: Int
    let ended: Int
    let outdated: Int

    init(_ counts: ParticipantCounts) {
        self.starting = counts.starting
        self.active = counts.active
        self.ended = counts.ended
        self.outdated = counts.outdated
    }
}

/// The channel to which an activity is bound, as returned by the API.
struct ActivityChannelResponse: Encodable {
    let name: String
    let id: String
    let environment: APNsEnvironment
    let messageStoragePolicy: String
    let delivery: String

    init(_ channel: ActivityChannel) {
        self.name = channel.name.rawValue
        self.id = channel.id.rawValue
        self.environment = channel.environment
        self.messageStoragePolicy = channel.policy.word
        self.delivery = channel.delivery.rawValue
    }
}

/// A page of activities, as returned by the API.
struct ActivityListResponse: Encodable {
    let activities: [ActivityResponse]
    let nextCursor: String?
}

/// The result of a request that sent pushes of an activity, as returned by the API.
struct ActivityUpdateResponse: Encodable {
    let activity: String
    let version: Int
    let state: String
    let sent: Int
    let pending: Int
    let notification: String?
    let budget: BudgetResponse?
    let notStartable: [String]?
    let alreadyParticipating: Int?
    let rollout: RolloutResponse?
    var dryRun: Bool?

    /// The number of devices of the topic or the audience, for a dry run.
    var audience: Int?
    var warnings: [ActivityWarningResponse]?

    init(_ receipt: ActivityUpdateResult, of activity: ActivityID) {
        self.activity = activity.rawValue
        self.version = receipt.version
        self.state = receipt.state.rawValue
        self.sent = receipt.sent
        self.pending = receipt.pending
        self.notification = receipt.notification?.description
        self.budget = receipt.cost.map(BudgetResponse.init)
        self.notStartable = receipt.notStartable.isEmpty ? nil : receipt.notStartable.map(\.rawValue)
        self.alreadyParticipating = receipt.alreadyParticipating > 0 ? receipt.alreadyParticipating : nil
        self.rollout = receipt.rollout.map(RolloutResponse.init)
    }
}

/// The budget that a change uses, as returned by the API.
struct BudgetResponse: Encodable {
    let pushes: Int
    let overBudget: Int
    let downgraded: Int
    let used: Int
    let remaining: Int
    let availableAt: Date?

    init(_ cost: BudgetImpact) {
        self.pushes = cost.pushes
        self.overBudget = cost.overBudget
        self.downgraded = cost.downgraded
        self.used = cost.used
        self.remaining = cost.remaining ?? 0
        self.availableAt = cost.availableAt
    }
}

/// A participant of an activity, as returned by the API.
struct ParticipantResponse: Encodable {
    let device: String?
    let channel: String?
    let environment: APNsEnvironment
    let state: String
    let reason: String?
    let origin: String?
    let hasToken: Bool
    let frequentUpdates: Bool?
    let lastSentVersion: Int
    let pushesLastHour: Int
    let joinedAt: Date
    let startedAt: Date?

    init(_ participant: ActivityParticipant, on channel: ActivityChannel?, now: Date) {
        let isChannel = participant.origin == .channel
        self.device = isChannel ? nil : participant.installation.rawValue
        self.channel = isChannel ? channel?.name.rawValue : nil
        self.environment = participant.environment
        switch participant.state {
        case .starting: (self.state, self.reason) = ("starting", nil)
        case .active: (self.state, self.reason) = ("active", nil)
        case .ended(let reason): (self.state, self.reason) = ("ended", reason)
        }
        self.origin = isChannel ? nil : participant.origin.rawValue
        self.hasToken = !isChannel && participant.token != nil
        self.frequentUpdates = participant.frequentUpdates
        self.lastSentVersion = participant.lastSentVersion
        self.pushesLastHour = participant.recent.count(now: now)
        self.joinedAt = participant.joinedAt
        self.startedAt = participant.startedAt
    }
}

/// A page of participants, as returned by the API.
struct ParticipantListResponse: Encodable {
    let participants: [ParticipantResponse]
    let nextCursor: String?
}

/// The results of many updates, as returned by the API: for each a result, or the error.
///
/// It is written without an encoder, which would take longer for ten thousand of them than the rest of the request.
struct ActivityUpdatesResponse {
    /// The JSON; names in alphabetical order, as in all answers.
    let json: [UInt8]

    /// Creates the response from the results of the updates, and the warnings by the indices of the updates.
    init(
        _ orders: [ActivityUpdate],
        _ results: [ActivityUpdateOutcome],
        _ warnings: [Int: [ActivityWarningResponse]],
        isDry: Bool = false
    ) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("changed")
        writer.integer(results.count { if case .changed = $0 { true } else { false } })
        if isDry {
            writer.key("dryRun")
            writer.bool(true)
        }
        writer.key("results")
        writer.beginArray()
        // Most often one for all of them.
        var notification: (id: NotificationID, text: String)?
        for (place, (order, result)) in zip(orders, results).enumerated() {
            writer.beginObject()
            writer.member("activity", order.activity.rawValue)
            switch result {
            case .changed(let receipt):
                if let id = receipt.notification, notification?.id != id { notification = (id, id.description) }
                writer.key("result")
                let text = receipt.notification == nil ? nil : notification?.text
                writer.updateResult(receipt, of: order.activity, text, warnings[place] ?? [])
            case .refused(let refusal):
                let problem = Problem(refusal)
                writer.member("code", problem.code.rawValue)
                writer.member("detail", problem.detail)
                writer.faults(problem.faults)
            case .unknown:
                writer.member("code", ProblemCode.activityNotFound.rawValue)
                writer.member("detail", "There is no such activity.")
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        self.json = writer.bytes
    }
}

extension JSONWriter {
    /// Writes an array of objects; nothing when there are none.
    private mutating func array<Element>(
        _ name: String,
        of elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        self.key(name)
        self.beginArray()
        for element in elements {
            self.beginObject()
            write(&self, element)
            self.endObject()
        }
        self.endArray()
    }

    /// Writes the members of ``ProblemResponse/FieldError``.
    fileprivate mutating func faults(_ faults: [InvalidValueError]) {
        self.array("errors", of: faults) { writer, fault in
            writer.member("actual", fault.value)
            writer.member("expected", fault.rule)
            writer.member("field", fault.field)
        }
    }

    /// Writes the members of ``ActivityUpdateResponse``.
    fileprivate mutating func updateResult(
        _ receipt: ActivityUpdateResult,
        of activity: ActivityID,
        _ notification: String?,
        _ warnings: [ActivityWarningResponse]
    ) {
        self.beginObject()
        self.member("activity", activity.rawValue)
        if let cost = receipt.cost { self.budget(cost) }
        if !receipt.notStartable.isEmpty {
            self.member("notStartable", receipt.notStartable.map(\.rawValue))
        }
        self.member("notification", notification)
        self.member("pending", receipt.pending)
        self.member("sent", receipt.sent)
        self.member("state", receipt.state.rawValue)
        self.member("version", receipt.version)
        self.array("warnings", of: warnings) { writer, warning in
            writer.member("field", warning.field)
            writer.member("message", warning.message)
        }
        self.endObject()
    }

    /// Writes the members of ``BudgetResponse``.
    private mutating func budget(_ cost: BudgetImpact) {
        self.key("budget")
        self.beginObject()
        self.member("availableAt", cost.availableAt)
        self.member("downgraded", cost.downgraded)
        self.member("overBudget", cost.overBudget)
        self.member("pushes", cost.pushes)
        self.member("remaining", cost.remaining ?? 0)
        self.member("used", cost.used)
        self.endObject()
    }
}

/// A change of an activity, as returned by the API.
struct ActivityChangeResponse: Encodable {
    struct End: Encodable {
        let dismissal: String?
        let at: Date?
        let afterSeconds: Int?
    }

    let contentState: JSONValue?
    let patch: JSONValue?
    let alert: JSONValue?
    let staleDate: String?
    let staleAfterSeconds: Int?
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
        case nil: (self.staleDate, self.staleAfterSeconds) = (nil, nil)
        case .never: (self.staleDate, self.staleAfterSeconds) = ("never", nil)
        case .at(let date): (self.staleDate, self.staleAfterSeconds) = (Timestamp.text(date), nil)
        case .after(let seconds): (self.staleDate, self.staleAfterSeconds) = (nil, seconds)
        }
        self.relevanceScore = change.relevanceScore
        self.priority = change.priority.rawValue
        // The default, `warn`, is not shown.
        self.budget = change.budget.flatMap { $0.policy == .warn ? nil : $0.policy.rawValue }
        self.end = change.end.map { end in
            switch end {
            case .standard: End(dismissal: "standard", at: nil, afterSeconds: nil)
            case .immediate: End(dismissal: "immediate", at: nil, afterSeconds: nil)
            case .at(let date): End(dismissal: nil, at: date, afterSeconds: nil)
            case .after(let seconds): End(dismissal: nil, at: nil, afterSeconds: seconds)
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

/// A warning about a request that is executed, but probably does not have the intended effect.
struct ActivityWarningResponse: Encodable, Equatable {
    let field: String
    let message: String

    /// A number looks like a date that Swift reads otherwise.
    init(_ suspect: SwiftDate.Suspect, instant: InstantName?) {
        let meant = suspect.meant.formatted(Date.ISO8601FormatStyle())
        let own = instant.map { ", the activity's instant '\($0)'" } ?? ""
        // Cannot trap: a suspect lies near now, in seconds or milliseconds since 1970.
        let number = Int64(suspect.number)
        self.field = suspect.field
        self.message =
            "\(number) looks like \(meant)\(own), counted from 1970. If this is a Date in Swift, devices show it "
            + "\(SwiftDate.shown(suspect.number)): send \(SwiftDate.text(suspect.meant)), seconds since "
            + "2001-01-01. To validate or convert it, or to declare it as a number, register the type with a "
            + "schema."
    }
}
