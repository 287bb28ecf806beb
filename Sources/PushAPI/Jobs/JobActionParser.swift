// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// Parses the action of a job.
enum JobActionParser: Sendable {
    case notification(JobCampaign)
    case campaign(CampaignID)
    case activities(JobActivities)
    case webhook(JobWebhook)

    /// The members for the action; a job has exactly one.
    static let members = ["notification", "campaign", "activities", "webhook"]

    static let webhookMembers = ["webhook", "body"]

    /// Parses the value of a member, and records errors.
    static func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) -> JobActionParser? {
        switch member {
        case "notification": try JobNotificationParser.read(&reader, path, app: app).map { .notification($0) }
        case "campaign": try reader.value(path, self.campaign).map { .campaign($0) }
        case "activities": try JobActivitiesParser.read(&reader, path).map { .activities($0) }
        default: try self.webhook(&reader, path).map { .webhook($0) }
        }
    }

    private static func campaign(_ text: String) throws(InvalidValueError) -> CampaignID {
        if let id = CampaignID(text) { return id }
        throw InvalidValueError(field: "campaign", rule: "the id of a campaign", value: "\(text.utf8.count) bytes")
    }

    private static func webhook(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JobWebhook? {
        var webhook: WebhookID?
        var body: RawJSONObject?
        let isObject = try reader.object(path, members: self.webhookMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            if member == "webhook" {
                webhook = try reader.value(path, WebhookID.init(validating:))
            } else {
                body = try ActivityChangeParser.fragment(&reader, path)
            }
        }
        guard isObject, let webhook = reader.require(webhook, "webhook", at: path) else { return nil }
        return JobWebhook(webhook: webhook, body: body)
    }
}

/// The member `notification` of a job while it is read.
enum JobNotificationParser {
    static let members = ["name", "audience", "message", "ratePerSecond", "expiresAfterSeconds", "local"]
    static let localMembers = ["time", "fallbackZone", "sendIfPassed"]

    /// The valid lifetimes of the campaign of a run in seconds: a minute to 30 days.
    private static let lifetimes = 60...2_592_000

    /// Parses the object, and records errors.
    static func read(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) -> JobCampaign? {
        var name: String?
        var audience: Audience?
        var message: CampaignMessage?
        var ratePerSecond: Int?
        var lifetime: Int?
        var local: LocalStart?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "audience": audience = try reader.audience(path)
            case "message": message = try CampaignMessageParser.read(&reader, path, app: app)
            case "ratePerSecond": ratePerSecond = try reader.integer(path, in: Campaign.rateLimits)
            case "expiresAfterSeconds": lifetime = try reader.integer(path, in: self.lifetimes)
            default: local = try self.local(&reader, path)
            }
        }
        guard isObject else { return nil }
        let required = (
            reader.require(audience, "audience", at: path), reader.require(message, "message", at: path)
        )
        guard case (let audience?, let message?) = required else { return nil }
        return JobCampaign(
            name: name,
            audience: audience,
            message: message,
            start: local.map { .local($0) } ?? .now,
            ratePerSecond: ratePerSecond,
            lifetimeSeconds: lifetime
        )
    }

    private static func local(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> LocalStart? {
        var time: LocalTime?
        var zone: String?
        var sendIfPassed = true
        let isObject = try reader.object(path, members: self.localMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            switch member {
            case "time": time = try reader.value(path, self.timeOfDay)
            case "fallbackZone": zone = try reader.value(path, CampaignStartParser.zone)
            default: sendIfPassed = try reader.boolean(path) ?? true
            }
        }
        guard isObject, let time = reader.require(time, "time", at: path) else { return nil }
        return LocalStart(time: time, fallbackZone: zone ?? "UTC", sendIfPassed: sendIfPassed)
    }

    private static func timeOfDay(_ text: String) throws(InvalidValueError) -> LocalTime {
        do {
            return try LocalTime("1970-01-01T\(text)")
        } catch {
            throw InvalidValueError(field: "time", rule: "a time of the day, such as '09:00'", value: error.value)
        }
    }
}

/// The member `activities` of a job while it is read.
enum JobActivitiesParser {
    static let members = ["attributesType", "state", "instant", "where", "change"]
    static let instantMembers = ["name", "fromSeconds", "untilSeconds"]

    /// The members of the change; instants cannot be set by a job.
    static let changeMembers = ActivityChangeParser.members.filter { $0 != "instants" }

    /// The states of activities that a job can select.
    private enum State: String, CaseIterable {
        case pending
        case active
    }

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JobActivities? {
        var type: AttributesType?
        var state: State?
        var window: JobActivities.Window?
        var condition: RawJSONObject?
        var change: ActivityChange?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "attributesType": type = try reader.value(path, AttributesType.init(validating:))
            case "state": state = try reader.oneOf(State.self, path)
            case "instant": window = try self.window(&reader, path)
            case "where": condition = try ActivityChangeParser.fragment(&reader, path)
            default: change = try self.change(&reader, path)
            }
        }
        guard isObject, let type = reader.require(type, "attributesType", at: path),
            let change = reader.require(change, "change", at: path)
        else { return nil }
        return JobActivities(
            attributesType: type,
            state: state.map { $0 == .pending ? .pending : .active },
            window: window,
            condition: condition,
            change: change
        )
    }

    private static func window(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> JobActivities.Window? {
        var name: InstantName?
        var from: Int?
        var until: Int?
        let isObject = try reader.object(path, members: self.instantMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.value(path, InstantName.init(validating:))
            case "fromSeconds": from = try reader.integer(path, in: JobActivities.offsets)
            default: until = try reader.integer(path, in: JobActivities.offsets)
            }
        }
        guard isObject, let name = reader.require(name, "name", at: path),
            let until = reader.require(until, "untilSeconds", at: path)
        else { return nil }
        guard from ?? 0 < until else {
            let rule = "more than 'fromSeconds', whose default is 0"
            reader.faults.add(path.member("untilSeconds"), expected: rule, got: "\(until)")
            return nil
        }
        return JobActivities.Window(instant: name, fromSeconds: from ?? 0, untilSeconds: until)
    }

    private static func change(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> ActivityChange? {
        var draft = ActivityChangeParser()
        let isObject = try reader.object(path, members: self.changeMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        }
        guard isObject else { return nil }
        let change = draft.finish(&reader, at: path)
        if !change.isVisible, !reader.faults.concern(path) {
            reader.faults.add(path, expected: "a member that changes the content of devices", got: "nothing")
        }
        return change
    }
}
