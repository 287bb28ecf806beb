// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
        "TransitionRequest": TransitionRequest.members,
    ]
}
