// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
public import PushModel

/// One operation of the API: where it is, who may use it, and what does it.
struct APIRoute: Sendable {
    /// Who may use a route.
    enum Access: Hashable, Sendable {
        /// Everybody, without a key.
        case anyone

        /// Keys with at least one of these scopes, or with `admin`.
        case scopes([Scope])
    }

    let method: HTTPRequest.Method

    /// The path with its parameters, as the OpenAPI document writes it: `/v1/apps/{app}`.
    let path: String

    let access: Access
    let handler: @Sendable (APICall) async throws -> Response

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        _ handler: @escaping @Sendable (APICall) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.handler = handler
    }

    /// Whether the route belongs to one app, so that keys bound to that app may use it.
    var isOfApp: Bool { self.path.contains("/{app}") }

    /// Whether a parameter of the path has a fixed ending, as in `{webhook}:test`.
    ///
    /// Such a route goes before those without.
    var hasFixedEnding: Bool { self.path.contains("}:") }

    /// Whether a request's path is one of this route, whatever its method.
    func matches(path: String) -> Bool {
        let own = self.path.split(separator: "/")
        let other = path.split(separator: "/")
        guard own.count == other.count else { return false }
        return zip(own, other).allSatisfy { template, segment in
            guard template.hasPrefix("{"), let end = template.firstIndex(of: "}") else { return template == segment }
            let suffix = template[template.index(after: end)...]
            return suffix.isEmpty || (segment.hasSuffix(suffix) && segment.count > suffix.count)
        }
    }
}

/// A group of operations on one kind of thing.
protocol APIRoutes: Sendable {
    var routes: [APIRoute] { get }
}

/// A route as documents and tests look at it.
public struct RouteDescription: Hashable, Sendable, CustomStringConvertible {
    /// The HTTP method in upper case.
    public let method: String

    /// The path with its parameters in braces.
    public let path: String

    /// The scopes of which a key needs one (`admin` always does); `nil` when no key is needed.
    public let scopes: [Scope]?

    init(_ route: APIRoute) {
        self.method = route.method.rawValue
        self.path = route.path
        self.scopes =
            switch route.access {
            case .anyone: nil
            case .scopes(let scopes): scopes
            }
    }

    public var description: String { "\(self.method) \(self.path)" }
}

/// The members that each kind of request may have, by the name of its schema in the OpenAPI document.
package enum RequestMembers {
    /// Every object that callers send.
    package static let bySchema: [String: [String]] = [
        "AppRequest": AppRequest.members,
        "CredentialRequest": CredentialRequest.members,
        "KeyRequest": KeyRequest.members,
        "DeviceRequest": DeviceRequest.members,
        "DeviceLine": DeviceLine.members,
        "NotificationRequest": NotificationRequest.members,
        "BatchRequest": BatchRequest.members,
        "SingleNotification": ItemDraft.members,
        "WebhookRequest": WebhookRequest.members,
        "WebhookPatch": WebhookPatch.members,
        "Targets": TargetDraft.members,
        "Alert": AlertDraft.members,
        "ResendRequest": ResendRequest.members,
        "CampaignRequest": CampaignRequest.members,
        "CampaignMessage": CampaignMessageDraft.members,
        "CampaignVariant": CampaignVariant.members,
        "CampaignStart": CampaignStartDraft.members,
        "LocalStart": CampaignStartDraft.localMembers,
        "EstimateRequest": EstimateRequest.members,
        "CampaignTestRequest": CampaignTestRequest.members,
        "ScreeningRequest": ScreeningRequest.members,
        "ActivityTypeRequest": ActivityTypeRequest.members,
        "ChannelRequest": ChannelRequest.members,
        "TopicRequest": TopicRequest.members,
        "SubscriptionRequest": SubscriptionRequest.members,
        "PublicationRequest": PublicationRequest.members,
        "ActivityRequest": ActivityRequest.members,
        "ActivityInvitation": ActivityInvitation.members,
        "ActivityChange": ActivityChangeRequest.members,
        "ActivityOrders": ActivityOrdersRequest.members,
        "ActivityOrder": ActivityOrdersRequest.orderMembers,
        "ActivityAlert": ActivityAlertDraft.members,
        "ActivityAlertText": ActivityAlertDraft.textMembers,
        "ActivityEnd": ActivityChangeDraft.endMembers,
        "ActivityTokenRequest": ActivityTokenRequest.members,
        "StartTokenRequest": StartTokenRequest.members,
        "TransitionRequest": TransitionDraft.members,
        "JobRequest": JobRequest.members,
        "JobSchedule": JobScheduleDraft.members,
        "JobClockChanges": JobScheduleDraft.clockMembers,
        "JobNotification": JobNotificationDraft.members,
        "JobLocalTime": JobNotificationDraft.localMembers,
        "JobActivities": JobActivitiesDraft.members,
        "JobInstant": JobActivitiesDraft.instantMembers,
        "JobActivityChange": JobActivitiesDraft.changeMembers,
        "JobWebhook": JobWorkDraft.webhookMembers,
    ]
}
