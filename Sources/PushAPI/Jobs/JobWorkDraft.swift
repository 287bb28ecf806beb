// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a job does while it is read.
enum JobWorkDraft: Sendable {
    case notification(JobCampaign)
    case campaign(CampaignID)
    case activities(JobActivities)
    case webhook(JobWebhook)

    /// The members of a job of which it has exactly one.
    static let members = ["notification", "campaign", "activities", "webhook"]

    static let webhookMembers = ["webhook", "body"]

    /// Reads the value of one of the members; whatever is wrong is noted.
    static func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) -> JobWorkDraft? {
        switch member {
        case "notification": try JobNotificationDraft.read(&reader, path, app: app).map { .notification($0) }
        case "campaign": try reader.value(path, self.campaign).map { .campaign($0) }
        case "activities": try JobActivitiesDraft.read(&reader, path).map { .activities($0) }
        default: try self.webhook(&reader, path).map { .webhook($0) }
        }
    }

    private static func campaign(_ text: String) throws(ValidationFailure) -> CampaignID {
        if let id = CampaignID(text) { return id }
        throw ValidationFailure(field: "campaign", rule: "the id of a campaign", value: "\(text.utf8.count) bytes")
    }

    private static func webhook(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JobWebhook? {
        var webhook: WebhookID?
        var body: JSONFragment?
        let isObject = try reader.object(path, members: self.webhookMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            if member == "webhook" {
                webhook = try reader.value(path, WebhookID.init(validating:))
            } else {
                body = try ActivityChangeDraft.fragment(&reader, path)
            }
        }
        guard isObject, let webhook = reader.require(webhook, "webhook", at: path) else { return nil }
        return JobWebhook(webhook: webhook, body: body)
    }
}
