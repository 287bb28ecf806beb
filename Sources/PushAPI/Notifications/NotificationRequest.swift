// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// A send request.
struct NotificationRequest: Sendable {
    static let members = ["targets", "lane"] + ContentParser.members
    var targets: TargetSelection
    var headers: NotificationHeaders
    var payload: APNsPayload

    /// The queue that the caller chose, or `nil` to leave it to the server.
    var lane: Lane?
}

extension NotificationRequest {
    /// Reads the body of a request to send to an app's devices.
    ///
    /// - Throws: ``Problem`` with every fault of the request; the payload is measured against Apple's limit here.
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var draft = NotificationParser()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader, app: app)
        }
    }
}

/// The members of a ``NotificationRequest`` while they are read.
struct NotificationParser {
    private var targets: TargetSelection?
    private var lane: Lane?
    private var content = ContentParser()

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "targets": self.targets = try TargetParser.read(&reader, path)
        case "lane": self.lane = try reader.oneOf(Lane.self, path)
        default: try self.content.read(member, &reader, path)
        }
    }

    /// Records missing members, errors about combinations, and values that APNs would reject.
    func finish(_ reader: inout JSONReader, app: AppID) -> NotificationRequest? {
        let targets = reader.require(self.targets, "targets")
        guard let content = self.content.finish(&reader, app: app) else { return nil }
        return targets.map {
            NotificationRequest(targets: $0, headers: content.headers, payload: content.payload, lane: self.lane)
        }
    }
}

/// The member `targets` of a request to send while it is read.
struct TargetParser {
    static let members = ["tokens", "environment", "devices", "users"]
    private var tokens: [DeviceToken]?
    private var environment: APNsEnvironment?
    private var devices: [DeviceID]?
    private var users: [UserID]?

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> TargetSelection? {
        var draft = TargetParser()
        try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "tokens":
                draft.tokens = try self.list(&reader, path) { reader, path throws(JSONSyntaxError) in
                    try reader.deviceToken(path())
                }
            case "environment": draft.environment = try reader.oneOf(APNsEnvironment.self, path)
            case "devices": draft.devices = try self.identifiers(&reader, path)
            case "users": draft.users = try self.identifiers(&reader, path)
            default: try reader.skip()
            }
        }
        return draft.selection(&reader, path)
    }

    private func selection(_ reader: inout JSONReader, _ path: FieldPath) -> TargetSelection? {
        let given = [
            self.tokens.map { _ in "'tokens'" }, self.devices.map { _ in "'devices'" },
            self.users.map { _ in "'users'" },
        ]
        .compactMap(\.self)
        guard given.count == 1 else {
            guard !given.isEmpty || !reader.faults.concern(path) else { return nil }
            let got = given.isEmpty ? "none" : given.joined(separator: " and ")
            reader.faults.add(path, expected: "exactly one of the members 'tokens', 'devices', 'users'", got: got)
            return nil
        }
        if let tokens { return .tokens(tokens, environment: self.environment) }
        if self.environment != nil {
            let rule = "no such member with \(given[0]), because the server has their environment"
            reader.faults.add(path.member("environment"), expected: rule, got: "one")
        }
        if let devices { return .devices(devices) }
        return self.users.map(TargetSelection.users)
    }

    /// Reads identifiers; one that is given twice counts once.
    private static func identifiers<ID: TextIdentifier>(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [ID]? {
        var seen: Set<ID> = []
        return try self.list(&reader, path) { reader, path throws(JSONSyntaxError) in
            try reader.value(path(), ID.init(validating:))
        }?
        .filter { seen.insert($0).inserted }
    }

    /// Reads 1 to 100,000 elements; more are counted and not kept.
    private static func list<Element>(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        _ read: (inout JSONReader, () -> FieldPath) throws(JSONSyntaxError) -> Element?
    ) throws(JSONSyntaxError) -> [Element]? {
        let maximum = BatchedNotification.maximumTargets
        var elements: [Element] = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            guard index < maximum else { return try reader.skip() }
            if let element = try read(&reader, { path.element(index) }) { elements.append(element) }
        }
        guard let count else { return nil }
        if count == 0 { reader.faults.add(path, expected: "at least one element", got: "an empty array") }
        if count > maximum {
            reader.faults.add(path, expected: "at most \(maximum) elements", got: "\(count)", code: .tooManyTargets)
        }
        return elements
    }
}

/// To whom a notification goes, as the caller says it.
enum TargetSelection: Sendable {
    /// Device tokens that the caller keeps; without an environment, they are of the app's default one.
    case tokens([DeviceToken], environment: APNsEnvironment?)

    /// Installations that were registered here.
    case devices([DeviceID])

    /// Users, each with all devices that were registered for them.
    case users([UserID])
}

/// Reads the status of notifications, which is never older than an earlier response of this process.
struct NotificationReader: Sendable {
    /// The maximum wait for the store to commit published outcomes; then the stored status is used.
    private static let patience: Duration = .seconds(5)

    let store: any NotificationStore
    let announcements: UncommittedOutcomes
    let clock: any Clock<Duration>

    /// Returns the status of the notification in the path of a call.
    ///
    /// - Throws: ``Problem`` `.notificationNotFound`, also if it belongs to another app; the errors of the store.
    func status(_ call: AuthorizedRequest) async throws -> NotificationStatus {
        guard let id = call.parameter("notification").flatMap({ NotificationID($0) }) else {
            throw Problem.unknownNotification
        }
        return try await self.status(of: id, call)
    }

    /// Returns the status of a notification of the app in the path of a call.
    ///
    /// - Throws: ``Problem`` `.notificationNotFound`; the errors of the store.
    func status(of id: NotificationID, _ call: AuthorizedRequest) async throws -> NotificationStatus {
        await self.catchUp(with: id)
        guard let status = try await self.store.notification(id), status.notification.app == (try call.app()) else {
            throw Problem.unknownNotification
        }
        return status
    }

    /// Returns the outcome of a notification for one target; `nil` if there is none.
    func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        let outcome = try await self.store.outcome(of: apnsID)
        guard let outcome, outcome.outcome == nil else { return outcome }
        await self.catchUp(with: outcome.notification)
        return try await self.store.outcome(of: apnsID)
    }

    /// Waits until the store has committed the published outcomes.
    private func catchUp(with notification: NotificationID) async {
        guard let conclusion = self.announcements.conclusion(of: notification) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in conclusion {} }
            group.addTask { try? await self.clock.sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }
}
