// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import Foundation
import JSONSchema
package import PushModel

/// A resource whose changes are in the audit log.
package protocol Audited {
    static var auditResource: AuditResource { get }
    var auditID: String { get }

    /// `nil` if it belongs to no app or to all apps.
    var auditApp: AppID? { get }

    /// The parts that its users set, without secrets.
    var auditState: [String: JSONValue] { get throws }
}

extension App: Audited {
    package static var auditResource: AuditResource { .app }
    package var auditID: String { self.id.rawValue }
    package var auditApp: AppID? { self.id }
    package var auditState: [String: JSONValue] {
        [
            "name": .string(self.name),
            "defaultEnvironment": .string(self.defaultEnvironment.rawValue),
            "installationSecrets": .string(self.installationSecrets.mode.rawValue),
            "bindsUntil": .time(self.installationSecrets.bindsUntil),
            "activityJoins": .string(self.activityJoins.rawValue),
            "attestation": .string(self.attestation.mode.rawValue),
            "teamID": .text(self.attestation.teamID),
        ]
    }
}

extension Credential: Audited {
    package static var auditResource: AuditResource { .credential }
    package var auditID: String { self.id.rawValue }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        var state: [String: JSONValue] = [
            "environments": .array(self.environments.map(\.rawValue).sorted().map { .string($0) })
        ]
        switch self.kind {
        case .key(let keyID, let teamID):
            state.merge(["type": "key", "keyID": .string(keyID), "teamID": .string(teamID)]) { $1 }
        case .certificate(let format):
            state.merge(["type": "certificate", "format": .string(format.rawValue)]) { $1 }
        }
        if case .file(let path, _) = self.secret { state["file"] = .string(path) }
        return state
    }
}

extension APIKey: Audited {
    package static var auditResource: AuditResource { .apiKey }
    package var auditID: String { self.id.rawValue }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        [
            "name": .string(self.name),
            "scopes": .array(self.scopes.sorted().map { .string($0.rawValue) }),
            "app": .text(self.app?.rawValue),
            "policy": self.policy?.json ?? .null,
            "allowedAddresses": .array(self.allowedAddresses.map { .string($0.description) }),
            "accessKey": .bool(self.sealedSigningSecret != nil),
            "expiresAt": .time(self.expiresAt),
            "revokedAt": .time(self.revokedAt),
            "replacedBy": .text(self.replacedBy?.rawValue),
        ]
    }
}

extension Webhook: Audited {
    package static var auditResource: AuditResource { .webhook }
    package var auditID: String { self.id.rawValue }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        let state =
            switch self.state {
            case .active: "active"
            case .paused: "paused"
            case .disabled: "disabled"
            }
        let types = self.kinds?.map(\.rawValue).sorted().map { JSONValue.string($0) }
        return JSONValue.secretURL(self.url.text).merging(
            ["eventTypes": types.map { .array($0) } ?? .null, "state": .string(state)]
        ) { $1 }
    }
}

extension PushTopic: Audited {
    package static var auditResource: AuditResource { .topic }
    package var auditID: String { self.name.rawValue }
    package var auditApp: AppID? { nil }
    package var auditState: [String: JSONValue] {
        ["attributes": .texts(self.attributes), "tags": .texts(self.tags)]
    }
}

extension Subscription: Audited {
    package static var auditResource: AuditResource { .subscription }
    package var auditID: String { self.id.description }
    package var auditApp: AppID? { self.subscriber.app }
    package var auditState: [String: JSONValue] {
        var state: [String: JSONValue] = [
            "topic": .string(self.topic.rawValue), "filterPolicy": .text(self.filter?.policy),
            "attributes": .texts(self.attributes),
        ]
        if case .url(let url) = self.subscriber { state.merge(JSONValue.secretURL(url)) { $1 } }
        return state
    }

    /// Whether its changes are in the audit log: those of devices and users are too many, and send nothing outside.
    package var isAudited: Bool { if case .url = self.subscriber { true } else { false } }
}

extension StoredCampaign: Audited {
    package static var auditResource: AuditResource { .campaign }
    package var auditID: String { self.campaign.id.description }
    package var auditApp: AppID? { self.campaign.app }
    package var auditState: [String: JSONValue] {
        get throws {
            let campaign = self.campaign
            return [
                "name": .string(campaign.name),
                "audience": campaign.audience.json,
                "message": try JSONValue(encoding: campaign.message),
                "startsAt": .time(campaign.planningTime),
                "expiresAt": .time(campaign.expiresAt),
                "ratePerSecond": campaign.ratePerSecond.map { .integer(Int64($0)) } ?? .null,
                "isTokenValidation": .bool(campaign.tokenValidation != nil),
                "state": .string(self.lifecycle.state.name),
            ]
        }
    }
}

extension Job: Audited {
    package static var auditResource: AuditResource { .job }
    package var auditID: String { self.id.rawValue }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        get throws { ["definition": try JSONValue(encoding: self.definition), "paused": .bool(self.isPaused)] }
    }
}

extension BroadcastChannel: Audited {
    package static var auditResource: AuditResource { .channel }
    package var auditID: String { self.name.rawValue }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        ["environment": .string(self.environment.rawValue), "channelID": .text(self.channelID?.rawValue)]
    }
}

extension ActivityType: Audited {
    package static var auditResource: AuditResource { .activityType }
    package var auditID: String { self.name.rawValue }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        func schema(_ schema: JSONSchema?) -> JSONValue { schema.flatMap { try? JSONValue(json: $0.bytes) } ?? .null }
        return ["contentState": schema(self.contentState), "attributes": schema(self.attributes)]
    }
}

extension PlatformApplication: Audited {
    package static var auditResource: AuditResource { .platformApplication }
    package var auditID: String { self.name.description }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        [
            "environment": .string(self.environment.rawValue), "credential": .string(self.credential.rawValue),
            "attributes": .texts(self.attributes),
        ]
    }
}

extension QuarantinedItem: Audited {
    package static var auditResource: AuditResource { .quarantinedItem }
    package var auditID: String { String(self.number) }
    package var auditApp: AppID? { self.app }
    package var auditState: [String: JSONValue] {
        [
            "type": .string(self.kind.rawValue), "item": .string(self.item), "reason": .string(self.reason.rawValue),
        ]
    }
}

extension JSONValue {
    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    fileprivate static func time(_ date: Date?) -> JSONValue {
        .text(date.map { RFC3339.text(milliseconds: $0.millisecondsSince1970) })
    }

    fileprivate static func texts(_ texts: [String: String]) -> JSONValue {
        .object(texts.mapValues { .string($0) })
    }

    fileprivate static func secretURL(_ text: String) -> [String: JSONValue] {
        let url = RedactedURL(text)
        return ["url": .string(url.origin), "urlDigest": .string(url.digest)]
    }
}
