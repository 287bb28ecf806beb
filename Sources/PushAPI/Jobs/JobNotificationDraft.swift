// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// The member `notification` of a job while it is read.
enum JobNotificationDraft {
    static let members = ["name", "audience", "message", "throttle", "expiresAfter", "local"]
    static let localMembers = ["time", "fallbackZone", "sendPassed"]

    /// For how many seconds the campaign of a run may go on: a minute to 30 days.
    private static let lifetimes = 60...2_592_000

    /// Reads the object; whatever is wrong is noted.
    static func read(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) -> JobCampaign? {
        var name: String?
        var audience: Audience?
        var message: CampaignMessage?
        var throttle: Int?
        var lifetime: Int?
        var local: LocalStart?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "audience": audience = try reader.audience(path)
            case "message": message = try CampaignMessageDraft.read(&reader, path, app: app)
            case "throttle": throttle = try reader.integer(path, in: Campaign.throttles)
            case "expiresAfter": lifetime = try reader.integer(path, in: self.lifetimes)
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
            throttle: throttle,
            lifetimeSeconds: lifetime
        )
    }

    private static func local(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> LocalStart? {
        var time: LocalTime?
        var zone: String?
        var sendPassed = true
        let isObject = try reader.object(path, members: self.localMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            switch member {
            case "time": time = try reader.value(path, self.timeOfDay)
            case "fallbackZone": zone = try reader.value(path, CampaignStartDraft.zone)
            default: sendPassed = try reader.boolean(path) ?? true
            }
        }
        guard isObject, let time = reader.require(time, "time", at: path) else { return nil }
        return LocalStart(time: time, fallbackZone: zone ?? "UTC", sendPassed: sendPassed)
    }

    private static func timeOfDay(_ text: String) throws(ValidationFailure) -> LocalTime {
        do {
            return try LocalTime("1970-01-01T\(text)")
        } catch {
            throw ValidationFailure(field: "time", rule: "a time of the day, such as '09:00'", value: error.value)
        }
    }
}
