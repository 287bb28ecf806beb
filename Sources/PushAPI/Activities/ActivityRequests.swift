// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The devices on which a push starts an activity.
struct StartActivityRequest: Sendable {
    static let members = DeviceSelectionParser.members + RolloutParser.members
    var phones: TargetSelection?
    var rollout: RolloutParser
}

extension StartActivityRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var phones = DeviceSelectionParser()
        var rollout = RolloutParser()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            if DeviceSelectionParser.members.contains(member) {
                try phones.read(member, &reader, path)
            } else {
                try rollout.read(member, &reader, path)
            }
        } finish: { reader in
            let selection = phones.finish(&reader)
            rollout.check(&reader)
            if selection == nil, !rollout.isThere, reader.faults.count == 0 {
                let rule = "at least one of the members 'devices', 'users', 'topic', 'audience'"
                reader.faults.add(.root, expected: rule, got: "none")
            }
            return StartActivityRequest(phones: selection, rollout: rollout)
        }
    }
}

/// Parses the devices of a request: device IDs or users.
struct DeviceSelectionParser: Sendable {
    static let members = ["devices", "users"]
    private var devices: [DeviceID]?
    private var users: [UserID]?

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        if member == "devices" {
            self.devices = try Self.identifiers(&reader, path)
        } else {
            self.users = try Self.identifiers(&reader, path)
        }
    }

    /// Records errors about combinations of members.
    func finish(_ reader: inout JSONReader) -> TargetSelection? {
        if self.devices != nil, self.users != nil {
            reader.faults.add(.root, expected: "at most one of the members 'devices', 'users'", got: "both")
        }
        return self.devices.map { .devices($0) } ?? self.users.map { .users($0) }
    }

    static func identifiers<ID: TextIdentifier>(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [ID]? {
        var found: [ID] = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            if let id: ID = try reader.value(path.element(index), ID.init(validating:)) { found.append(id) }
        }
        guard let count else { return nil }
        let limits = 1...ActivityLimit.participantsAtOnce
        if !limits.contains(count) {
            reader.faults.add(
                path,
                expected: "1 to \(limits.upperBound) elements",
                got: "\(count)",
                code: .tooManyTargets
            )
        }
        return found
    }
}

/// A request to update one activity.
struct UpdateActivityRequest: Sendable {
    static let members = ActivityChangeParser.members
    var change: ActivityChange
}

extension UpdateActivityRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var draft = ActivityChangeParser()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            UpdateActivityRequest(change: draft.finish(&reader))
        }
    }
}

/// A request to update many activities.
struct UpdateActivitiesRequest: Sendable {
    static let members = ["changes"]
    static let updateMembers = ["activity"] + ActivityChangeParser.members
    var orders: [ActivityUpdate]
}

extension UpdateActivitiesRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var orders: [ActivityUpdate]?
        self = try JSONReader.read(body, members: Self.members) { reader, _, path throws(JSONSyntaxError) in
            orders = try Self.orders(&reader, path)
        } finish: { reader in
            reader.require(orders, "changes").map { UpdateActivitiesRequest(orders: $0) }
        }
    }

    private static func orders(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [ActivityUpdate]? {
        let maximum = ActivityLimit.changesAtOnce
        var orders: [ActivityUpdate] = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            guard index < maximum else { return try reader.skip() }
            if let order = try self.order(&reader, path.element(index)) { orders.append(order) }
        }
        guard let count else { return nil }
        if !(1...maximum).contains(count) {
            reader.faults.add(
                path,
                expected: "1 to \(maximum) elements",
                got: "\(count)",
                code: count == 0 ? .invalidRequest : .tooManyTargets
            )
        }
        return orders
    }

    private static func order(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> ActivityUpdate?
    {
        var draft = ActivityChangeParser()
        var id: ActivityID?
        let isObject = try reader.object(path, members: self.updateMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            if member == "activity" {
                id = try reader.value(path, ActivityID.init(validating:))
            } else {
                try draft.read(member, &reader, path)
            }
        }
        guard isObject, let id = reader.require(id, "activity", at: path) else { return nil }
        return ActivityUpdate(activity: id, change: draft.finish(&reader, at: path))
    }
}

/// Parses the values of a new activity.
struct ActivityParser: Sendable {
    static let members = [
        "attributesType", "attributes", "contentState", "alert", "staleDate", "relevanceScore", "priority", "instants",
    ]

    private(set) var attributesType: AttributesType?
    private var attributes: RawJSONObject?
    private var contentState: RawJSONObject?
    private var alert: LiveActivityAlert?
    private var staleDate: Date?
    private var relevanceScore: Double?
    private var priority: Priority?
    private var instants: [InstantName: Date] = [:]

    /// Parses the value of a member, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "attributesType": self.attributesType = try reader.value(path, AttributesType.init(validating:))
        case "attributes": self.attributes = try ActivityChangeParser.fragment(&reader, path)
        case "contentState": self.contentState = try ActivityChangeParser.fragment(&reader, path)
        case "alert": self.alert = try ActivityAlertParser.read(&reader, path)
        case "staleDate": self.staleDate = try reader.value(path, Timestamp.parse)
        case "relevanceScore": self.relevanceScore = try reader.double(path, in: -1e15...1e15)
        case "priority": self.priority = try ActivityChangeParser.priority(&reader, path)
        case "instants": self.instants = try ActivityChangeParser.instants(&reader, path).compactMapValues(\.self)
        default: try reader.skip()
        }
    }

    /// Whether it has anything that a type could say something about.
    var hasContent: Bool { self.contentState != nil || self.attributes != nil }

    /// Holds the content against its type, and converts the dates that the type wants converted.
    ///
    /// - Throws: ``Problem`` `.contentMismatch`.
    mutating func hold(to type: ActivityType?) throws(Problem) {
        // Check the size first, because the cost of a schema grows with the value.
        let bytes = max(self.contentState?.bytes.count ?? 0, self.attributes?.bytes.count ?? 0)
        guard bytes <= ActivityLimit.bytes else { throw Problem(ActivityError.tooLarge(bytes: bytes)) }
        do {
            if let schema = type?.contentState, let state = self.contentState {
                self.contentState = try schema.checked(state, field: "contentState")
            }
            if let schema = type?.attributes, let attributes = self.attributes {
                self.attributes = try schema.checked(attributes, field: "attributes")
            }
        } catch {
            throw Problem(error)
        }
    }

    /// Returns the activity; `nil` if its type is missing.
    ///
    /// - Throws: ``Problem`` for values that APNs would reject.
    func activity(
        _ id: ActivityID,
        of app: AppID,
        on channel: ActivityChannel? = nil,
        now: Date
    ) throws(Problem) -> Activity? {
        guard let attributesType else { return nil }
        do {
            return try Activity(
                id: id,
                app: app,
                attributesType: attributesType,
                attributes: self.attributes,
                contentState: self.contentState,
                startAlert: self.alert,
                staleDate: self.staleDate,
                relevanceScore: self.relevanceScore,
                priority: self.priority ?? .immediate,
                instants: self.instants,
                channel: channel,
                now: now
            )
        } catch {
            throw Problem(error)
        }
    }
}

extension Problem {
    static var notReady: Problem {
        Problem(.channelNotReady, "The channel is being created or deleted at APNs.")
    }
}

/// A change of an activity that is planned ahead.
struct TransitionRequest: Sendable {
    var time: TransitionTime
    var change: ActivityChange
    var misfire: TransitionMisfirePolicy
}

extension TransitionRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var draft = TransitionParser()
        self = try JSONReader.read(
            body,
            members: TransitionParser.members
        ) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader, at: .root)
        }
    }

    /// Parses transitions by their names.
    ///
    /// - Returns: the valid ones; errors of the others are recorded.
    static func transitions(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [TransitionKey: TransitionRequest] {
        var found: [TransitionKey: TransitionRequest] = [:]
        try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            guard let key = TransitionKey(rawValue: name) else {
                reader.faults.add(path, expected: TransitionKey.rule, got: "\(name.utf8.count) bytes")
                return try reader.skip()
            }
            var draft = TransitionParser()
            let isObject = try reader.object(
                path,
                members: TransitionParser.members
            ) { reader, member, path throws(JSONSyntaxError) in
                try draft.read(member, &reader, path)
            }
            if isObject { found[key] = draft.finish(&reader, at: path) }
        }
        return found
    }

    /// Returns the transition with its name and the configured budgets.
    func plan(_ key: TransitionKey, within limits: PushBudget.Limits) -> NewTransition {
        NewTransition(key: key, time: self.time, change: self.change.within(limits), misfire: self.misfire)
    }
}
