// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Every way in which the API says no: the `code` of a problem (RFC 9457), stable once published.
///
/// Status, title, meaning and fix of each stand in ``entry``; `docs/problems.md` is made from them.
public enum ProblemCode: String, CaseIterable, Hashable, Sendable {
    // The request as a whole
    case malformedJSON = "malformed_json"
    case unsupportedMediaType = "unsupported_media_type"
    case bodyTooLarge = "body_too_large"
    case routeNotFound = "route_not_found"
    case methodNotAllowed = "method_not_allowed"

    // What it says
    case invalidRequest = "invalid_request"
    case invalidDeviceToken = "invalid_device_token"
    case payloadTooLarge = "payload_too_large"
    case tooManyTargets = "too_many_targets"
    case noTargets = "no_targets"
    case invalidCredential = "invalid_credential"
    case wrongPassword = "wrong_password"
    case masterKeyMissing = "master_key_missing"
    case idempotencyKeyReused = "idempotency_key_reused"

    // Streams
    case lineTooLong = "line_too_long"
    case streamGap = "stream_gap"
    case streamTaken = "stream_taken"
    case tooManyStreams = "too_many_streams"

    // Who asks
    case missingKey = "missing_key"
    case invalidKey = "invalid_key"
    case expiredKey = "expired_key"
    case revokedKey = "revoked_key"
    case missingScope = "missing_scope"
    case keyNotForApp = "key_not_for_app"

    // What is there
    case appNotFound = "app_not_found"
    case appExists = "app_exists"
    case credentialNotFound = "credential_not_found"
    case keyNotFound = "key_not_found"
    case deviceNotFound = "device_not_found"
    case notificationNotFound = "notification_not_found"
    case notificationNotFinal = "notification_not_final"
    case notificationResent = "notification_resent"
    case nothingToResend = "nothing_to_resend"
    case campaignNotFound = "campaign_not_found"
    case campaignEnded = "campaign_ended"
    case webhookNotFound = "webhook_not_found"
    case tooManyWebhooks = "too_many_webhooks"
    case cursorExpired = "cursor_expired"
    case screeningNotFound = "screening_not_found"
    case screeningEnded = "screening_ended"
    case activityNotFound = "activity_not_found"
    case activityExists = "activity_exists"
    case activityOver = "activity_over"
    case activityOverBudget = "activity_over_budget"
    case activityStateUnknown = "activity_state_unknown"
    case activityNotStartable = "activity_not_startable"
    case activityLimit = "activity_limit"
    case transitionNotFound = "transition_not_found"
    case jobNotFound = "job_not_found"
    case jobBusy = "job_busy"
    case jobIsCode = "job_is_code"
    case tooManyJobs = "too_many_jobs"
    case topicNotFound = "topic_not_found"
    case topicShared = "topic_shared"
    case subscriptionNotFound = "subscription_not_found"
    case tooManyFilterPolicies = "too_many_filter_policies"
    case activityTypeNotFound = "activity_type_not_found"
    case contentMismatch = "content_mismatch"
    case channelNotFound = "channel_not_found"
    case channelExists = "channel_exists"
    case channelInUse = "channel_in_use"
    case channelNotReady = "channel_not_ready"
    case channelGone = "channel_gone"
    case channelLimit = "channel_limit"
    case broadcastDisabled = "broadcast_disabled"
    case noCredential = "no_credential"
    case apnsRefused = "apns_refused"
    case apnsUnavailable = "apns_unavailable"
    case conflict = "conflict"

    // The server itself
    case storeUnavailable = "store_unavailable"
    case storeLocked = "store_locked"
    case storeReadOnly = "store_read_only"
    case storeFull = "store_full"
    case storeCorrupt = "store_corrupt"
    case shuttingDown = "shutting_down"
    case internalError = "internal_error"
}
