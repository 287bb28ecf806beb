// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import JSONSchema
import NIOCore
import PushModel

/// Writes answers as JSON: names in alphabetical order, times in ISO 8601 with milliseconds.
enum JSONResponseEncoder {
    static func encode(_ value: some Encodable) throws -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: try self.bytes(value)))
    }

    static func bytes(_ value: some JSONWritable) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        value.write(into: &writer)
        return writer.bytes
    }

    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp.text(date))
        }
        return [UInt8](try encoder.encode(value))
    }
}

extension Response {
    /// An answer that is JSON already.
    static func json(
        bytes: [UInt8],
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func json(
        _ value: some JSONWritable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        .json(bytes: JSONResponseEncoder.bytes(value), status: status, headers: headers)
    }

    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws -> Response {
        .json(bytes: try JSONResponseEncoder.bytes(value), status: status, headers: headers)
    }
}

/// The names of media types beside that of JSON.
enum MediaType {
    /// One JSON value in each line.
    static let ndjson = "application/x-ndjson"

    /// Comma-separated values (RFC 4180).
    static let csv = "text/csv"
    static let tsv = "text/tab-separated-values"
}

/// Times as the API writes and reads them: ISO 8601 in UTC, such as `2026-02-03T04:05:06.789Z`.
enum Timestamp {
    /// With milliseconds, as responses have it.
    static func text(_ date: Date) -> String { RFC3339.text(milliseconds: date.millisecondsSince1970) }

    /// Reads a time with or without fractions of a second, of a year that four digits can write.
    static func parse(_ text: String) throws(InvalidValueError) -> Date {
        let date = RFC3339.date(text)
        if let date, RFC3339.writable.contains(date.timeIntervalSince1970) { return date }
        throw InvalidValueError(
            field: "time",
            rule: "a time in ISO 8601, such as '2026-02-03T04:05:06Z'",
            value: date == nil ? "\(text.utf8.count) bytes of another form" : "one outside of the years 1583 to 9999"
        )
    }
}

/// The members that each kind of request may have, by the name of its schema in the OpenAPI document.
package enum RequestMembers {
    /// Every object that callers send.
    package static let bySchema: [String: [String]] = [
        "AppRequest": AppRequest.members,
        "CredentialRequest": CredentialRequest.members,
        "KeyRequest": KeyRequest.members,
        "KeyRotationRequest": KeyRotationRequest.members,
        "DeviceRequest": DeviceRequest.members,
        "DeviceLine": DeviceFileRecord.members,
        "NotificationRequest": NotificationRequest.members,
        "BatchRequest": BatchRequest.members,
        "SingleNotification": ItemParser.members,
        "WebhookRequest": CreateWebhookRequest.members,
        "UpdateWebhookRequest": UpdateWebhookRequest.members,
        "Targets": TargetParser.members,
        "Alert": AlertParser.members,
        "ResendRequest": ResendRequest.members,
        "CampaignRequest": CampaignRequest.members,
        "CampaignMessage": CampaignMessageParser.members,
        "CampaignVariant": CampaignVariant.members,
        "CampaignStart": CampaignStartParser.members,
        "LocalStart": CampaignStartParser.localMembers,
        "EstimateRequest": EstimateAudienceRequest.members,
        "CampaignTestRequest": CampaignTestRequest.members,
        "TokenValidationRequest": TokenValidationRequest.members,
        "ActivityTypeRequest": ActivityTypeRequest.members,
        "ChannelRequest": ChannelRequest.members,
        "TopicRequest": TopicRequest.members,
        "SubscriptionRequest": SubscriptionRequest.members,
        "PublicationRequest": PublicationRequest.members,
        "ActivityRequest": CreateActivityRequest.members,
        "StartActivityRequest": StartActivityRequest.members,
        "ActivityChange": UpdateActivityRequest.members,
        "ActivityUpdates": UpdateActivitiesRequest.members,
        "ActivityUpdate": UpdateActivitiesRequest.updateMembers,
        "ActivityAlert": ActivityAlertParser.members,
        "ActivityAlertText": ActivityAlertParser.textMembers,
        "ActivityEnd": ActivityChangeParser.endMembers,
        "UpdateTokenRequest": UpdateTokenRequest.members,
        "PushToStartTokenRequest": PushToStartTokenRequest.members,
        "TransitionRequest": TransitionParser.members,
        "JobRequest": JobRequest.members,
        "JobSchedule": JobScheduleParser.members,
        "JobDSTPolicy": JobScheduleParser.dstPolicyMembers,
        "JobNotification": JobNotificationParser.members,
        "JobLocalTime": JobNotificationParser.localMembers,
        "JobActivities": JobActivitiesParser.members,
        "JobInstant": JobActivitiesParser.instantMembers,
        "JobActivityChange": JobActivitiesParser.changeMembers,
        "JobWebhook": JobActionParser.webhookMembers,
    ]
}
