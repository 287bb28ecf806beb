// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The `code` of a problem (RFC 9457); a published code never changes.
///
/// ``entry`` has the status, title, meaning and fix of each code. `docs/problems.md` is generated from them.
package enum ProblemCode: String, CaseIterable, Hashable, Sendable {
    // The request as a whole
    case malformedJSON = "malformed_json"
    case unsupportedMediaType = "unsupported_media_type"
    case bodyTooLarge = "body_too_large"
    case requestTimeout = "request_timeout"
    case routeNotFound = "route_not_found"
    case methodNotAllowed = "method_not_allowed"

    // The content of the request
    case invalidRequest = "invalid_request"
    case invalidDeviceToken = "invalid_device_token"
    case payloadTooLarge = "payload_too_large"
    case tooManyTargets = "too_many_targets"
    case noReachableTargets = "no_reachable_targets"
    case invalidCredential = "invalid_credential"
    case wrongCertificatePassword = "wrong_certificate_password"
    case masterKeyMissing = "master_key_missing"
    case idempotencyKeyReused = "idempotency_key_reused"

    // Streams
    case lineTooLong = "line_too_long"
    case streamGap = "stream_gap"
    case streamInUse = "stream_in_use"
    case tooManyStreams = "too_many_streams"
    case tooManyCalls = "too_many_calls"
    case callTimeout = "call_timeout"

    // Authentication and authorization
    case missingAPIKey = "missing_api_key"
    case invalidAPIKey = "invalid_api_key"
    case expiredAPIKey = "expired_api_key"
    case revokedAPIKey = "revoked_api_key"
    case sessionExpired = "session_expired"
    case crossOriginRequest = "cross_origin_request"
    case tooManyFailures = "too_many_failures"
    case rateLimited = "rate_limited"
    case insufficientScope = "insufficient_scope"
    case policyDenied = "policy_denied"
    case apiKeyAppMismatch = "api_key_app_mismatch"
    case installationSecretRequired = "installation_secret_required"
    case installationSecretMismatch = "installation_secret_mismatch"
    case installationNotBound = "installation_not_bound"
    case activityNotJoinable = "activity_not_joinable"
    case attestationRequired = "attestation_required"
    case attestationInvalid = "attestation_invalid"
    case addressNotAllowed = "address_not_allowed"

    // The resources
    case appNotFound = "app_not_found"
    case appExists = "app_exists"
    case credentialNotFound = "credential_not_found"
    case keyNotFound = "key_not_found"
    case keyNotRotatable = "key_not_rotatable"
    case deviceNotFound = "device_not_found"
    case notificationNotFound = "notification_not_found"
    case notificationNotCompleted = "notification_not_completed"
    case notificationAlreadyResent = "notification_already_resent"
    case nothingToResend = "nothing_to_resend"
    case campaignNotFound = "campaign_not_found"
    case campaignCompleted = "campaign_completed"
    case webhookNotFound = "webhook_not_found"
    case tooManyWebhooks = "too_many_webhooks"
    case cursorExpired = "cursor_expired"
    case tokenValidationNotFound = "token_validation_not_found"
    case tokenValidationEnded = "token_validation_ended"
    case activityNotFound = "activity_not_found"
    case activityExists = "activity_exists"
    case activityEnded = "activity_ended"
    case pushBudgetExceeded = "push_budget_exceeded"
    case activityStateUnknown = "activity_state_unknown"
    case activityNotStartable = "activity_not_startable"
    case activityLimitExceeded = "activity_limit_exceeded"
    case transitionNotFound = "transition_not_found"
    case jobNotFound = "job_not_found"
    case jobRunInProgress = "job_run_in_progress"
    case jobManagedByCode = "job_managed_by_code"
    case tooManyJobs = "too_many_jobs"
    case topicNotFound = "topic_not_found"
    case topicSharedWithOtherApps = "topic_shared_with_other_apps"
    case subscriptionNotFound = "subscription_not_found"
    case tooManyFilterPolicies = "too_many_filter_policies"
    case activityTypeNotFound = "activity_type_not_found"
    case contentMismatch = "content_mismatch"
    case channelNotFound = "channel_not_found"
    case channelExists = "channel_exists"
    case channelInUse = "channel_in_use"
    case channelNotReady = "channel_not_ready"
    case channelDeleted = "channel_deleted"
    case channelLimitExceeded = "channel_limit_exceeded"
    case broadcastDisabled = "broadcast_disabled"
    case credentialRequired = "credential_required"
    case apnsRejected = "apns_rejected"
    case apnsUnavailable = "apns_unavailable"
    case quarantinedItemNotFound = "quarantined_item_not_found"
    case batchNotRepeatable = "batch_not_repeatable"
    case conflict = "conflict"

    // The server itself
    case storeUnavailable = "store_unavailable"
    case storeLocked = "store_locked"
    case storeReadOnly = "store_read_only"
    case storeFull = "store_full"
    case storeCorrupt = "store_corrupt"
    case serverBusy = "server_busy"
    case shuttingDown = "shutting_down"
    case internalError = "internal_error"
}

/// The texts of one ``ProblemCode`` in the catalogue.
package struct ProblemDescription: Hashable, Sendable {
    /// The HTTP status of the response.
    package let status: Int

    /// A noun phrase without a verb, the same for every occurrence (RFC 9457).
    package let title: String

    /// When it occurs, in a sentence or two.
    package let meaning: String

    /// What the caller or the operator can do to fix it.
    package let fix: String

    /// The seconds in `Retry-After`; `nil` if a repetition of the same request fails again.
    package let retryAfter: Int?

    init(_ status: Int, _ title: String, _ meaning: String, fix: String, retryAfter: Int? = nil) {
        self.status = status
        self.title = title
        self.meaning = meaning
        self.fix = fix
        self.retryAfter = retryAfter
    }
}

/// The catalogue of problems as Markdown: `docs/problems.md`.
package enum ProblemCatalogue {
    package static var markdown: String {
        self.introduction + self.table + ProblemCode.allCases.map(self.section).joined(separator: "\n")
    }

    static func section(_ code: ProblemCode) -> String {
        let entry = code.entry
        let retry = entry.retryAfter.map { " The response has `Retry-After: \($0)`." } ?? ""
        return """
            ## \(code.rawValue)

            **\(entry.title).** Status \(entry.status).\(retry)

            \(entry.meaning)

            *Fix:* \(entry.fix)

            """
    }

    private static let introduction = """
        # Problems

        Every error response of the API is a problem document, `application/problem+json` (RFC 9457):

        ```json
        {
          "type": "/problems/invalid_device_token",
          "title": "Malformed device token",
          "status": 422,
          "code": "invalid_device_token",
          "detail": "targets.tokens[3]: expected 2...200 hexadecimal digits, two for each byte, got 63 characters",
          "errors": [
            {
              "field": "targets.tokens[3]",
              "expected": "2...200 hexadecimal digits, two for each byte",
              "actual": "63 characters"
            }
          ],
          "errorCount": 1,
          "requestID": "8c1f30a2b4d6e9070000000000000001"
        }
        ```

        Switch on `code`; its meaning never changes. `detail` and `errors` are for people and logs: they have the field,
        the expected value, and the size or type of the actual value. They never contain a secret or a complete device
        token. `errors` has at most 20 errors; `errorCount` is the number of all. `requestID` is also in the header
        `X-Request-ID` and in the log of the server. The server serves the text below at the path in `type`.

        This file is generated from the code (`ProblemCode`). Do not edit it.


        """

    private static var table: String {
        let rows = ProblemCode.allCases.map { code in
            "| [`\(code.rawValue)`](#\(code.rawValue)) | \(code.entry.status) | \(code.entry.title) |"
        }
        return (["| code | status | title |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n\n"
    }
}
