// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    package var entry: ProblemDescription {
        switch self {
        case .malformedJSON, .unsupportedMediaType, .bodyTooLarge, .requestTimeout, .routeNotFound, .methodNotAllowed:
            self.requestEntry
        case .invalidRequest, .invalidDeviceToken, .payloadTooLarge, .tooManyTargets, .noReachableTargets,
            .invalidCredential, .wrongCertificatePassword, .masterKeyMissing, .idempotencyKeyReused:
            self.contentEntry
        case .lineTooLong, .streamGap, .streamInUse, .tooManyStreams:
            self.streamEntry
        case .missingAPIKey, .invalidAPIKey, .expiredAPIKey, .revokedAPIKey, .sessionExpired, .crossOriginRequest,
            .tooManyFailures, .rateLimited, .tooManyCalls, .callTimeout, .insufficientScope, .policyDenied,
            .apiKeyAppMismatch, .addressNotAllowed:
            self.accessEntry
        case .installationSecretRequired, .installationSecretMismatch, .installationNotBound, .activityNotJoinable,
            .attestationRequired, .attestationInvalid:
            self.installationEntry
        case .appNotFound, .appExists, .credentialNotFound, .keyNotFound, .keyNotRotatable, .deviceNotFound,
            .notificationNotFound,
            .notificationNotCompleted, .notificationAlreadyResent, .nothingToResend, .campaignNotFound,
            .campaignCompleted, .conflict:
            self.resourceEntry
        case .webhookNotFound, .tooManyWebhooks, .cursorExpired:
            self.eventEntry
        case .tokenValidationNotFound, .tokenValidationEnded: self.tokenValidationEntry
        case .activityNotFound, .activityExists, .activityEnded, .pushBudgetExceeded, .activityStateUnknown,
            .activityNotStartable,
            .activityLimitExceeded, .transitionNotFound, .activityTypeNotFound, .contentMismatch:
            self.activityEntry
        case .channelNotFound, .channelExists, .channelInUse, .channelNotReady, .channelDeleted, .channelLimitExceeded,
            .broadcastDisabled,
            .credentialRequired, .apnsRejected, .apnsUnavailable:
            self.channelEntry
        case .jobNotFound, .jobRunInProgress, .jobManagedByCode, .tooManyJobs: self.jobEntry
        case .topicNotFound, .topicSharedWithOtherApps, .subscriptionNotFound, .tooManyFilterPolicies: self.topicEntry
        case .quarantinedItemNotFound, .batchNotRepeatable: self.quarantineEntry
        case .storeUnavailable, .storeLocked, .storeReadOnly, .storeFull, .storeCorrupt, .serverBusy,
            .shuttingDown, .internalError:
            self.serverEntry
        }
    }

    private var requestEntry: ProblemDescription {
        switch self {
        case .malformedJSON:
            ProblemDescription(
                400,
                "Malformed JSON",
                "The body is not valid JSON (RFC 8259), has a number beyond the range of a double, or nests deeper "
                    + "than 128 levels. `detail` has the index of the first invalid byte, counted from 0.",
                fix: "Send one JSON object in UTF-8. A shell can remove quotation marks, so send the body from a file."
            )
        case .unsupportedMediaType:
            ProblemDescription(
                415,
                "Unsupported content type or encoding",
                "`Content-Type` is not `application/json`, or another type that the route accepts. Or "
                    + "`Content-Encoding` names a compression. `errors` has the header.",
                fix:
                    "Send `Content-Type: application/json`. By default, `curl -d` sends another type. Send the body "
                    + "uncompressed."
            )
        case .bodyTooLarge:
            ProblemDescription(
                413,
                "Request body too large",
                "The body has more bytes than the route accepts. `detail` has the limit.",
                fix: "Split the request. A request to send accepts up to 100,000 targets."
            )
        case .requestTimeout:
            ProblemDescription(
                408,
                "Request body timeout",
                "The body took longer than 5 minutes, or less than 4,096 bytes per second were received for more than "
                    + "10 seconds. The server closed the connection.",
                fix: "Send the request again, over a faster connection or with a smaller body."
            )
        case .methodNotAllowed:
            ProblemDescription(
                405,
                "Method not allowed",
                "The path exists, but not with this method. `Allow` lists its methods.",
                fix: "Compare the request with the OpenAPI document at `/openapi.yaml`."
            )
        default:
            ProblemDescription(
                404,
                "Unknown path",
                "No route has this path.",
                fix: "Compare the request with the OpenAPI document at `/openapi.yaml`. Paths start with `/v1`."
            )
        }
    }

    private var contentEntry: ProblemDescription {
        switch self {
        case .invalidDeviceToken:
            ProblemDescription(
                422,
                "Malformed device token",
                "At least one token is not hexadecimal or has an invalid length. `errors` has the path of each (the "
                    + "first 20), never the token. Nothing was stored.",
                fix: "Send each token as 2 to 200 hexadecimal digits, without spaces and brackets."
            )
        case .payloadTooLarge:
            ProblemDescription(
                413,
                "Payload over the limit of APNs",
                "APNs accepts 4096 bytes, 5120 for VoIP, and would reject the payload. `errors` has its size and the "
                    + "limit.",
                fix: "Shorten the text, or send an identifier that the app uses to fetch the rest."
            )
        case .tooManyTargets:
            ProblemDescription(
                413,
                "Too many targets",
                "A request to send accepts at most 100,000 targets. For users, all of their devices count.",
                fix: "Split the targets over several requests."
            )
        case .noReachableTargets:
            ProblemDescription(
                422,
                "No reachable targets",
                "None of the devices or users in the request has a registered device whose token is not invalid.",
                fix: "Register the devices, or read their status: `GET /v1/apps/{app}/devices/{device}`."
            )
        case .invalidCredential:
            ProblemDescription(
                422,
                "Invalid credential",
                """
                The key or certificate cannot be read: it is corrupt, of another type, or the file does not exist. Or \
                the certificate has expired, so APNs would reject it. Or `file` is outside of the directory that the \
                configuration key `credentialDirectory` names.
                """,
                fix: """
                    Send the `.p8` file unchanged, with its line breaks, or the `.p12` file in Base64. Renew an \
                    expired certificate. Move a file into `credentialDirectory`.
                    """
            )
        case .wrongCertificatePassword:
            ProblemDescription(
                422,
                "Wrong certificate password",
                "The `.p12` is encrypted with another password, or the request has no password.",
                fix: "Send the password that was set when the certificate was exported."
            )
        case .masterKeyMissing:
            ProblemDescription(
                409,
                "The server has no master key",
                "The server was started without a master key, so it cannot seal the secret of a credential, a webhook "
                    + "or an access key.",
                fix:
                    "Start the server with a master key (`masterKeyFile`). For a credential, you can name a `file` in "
                    + "`credentialDirectory` instead."
            )
        case .idempotencyKeyReused:
            ProblemDescription(
                422,
                "Idempotency key of another request",
                "Within the last 24 hours, this API key sent another body, or a request to another path, with the same "
                    + "`Idempotency-Key`. Nothing of this request was stored.",
                fix: "Create a new idempotency key for every request. Repeat a request byte for byte."
            )
        default:
            ProblemDescription(
                422,
                "Invalid request",
                "A member is unknown, missing, of a wrong type or out of range. `errors` has the field, the "
                    + "expected and the actual value of each error (the first 20). Nothing was stored.",
                fix: "Correct the fields that `errors` lists."
            )
        }
    }

    private var resourceEntry: ProblemDescription {
        switch self {
        case .appNotFound:
            ProblemDescription(
                404,
                "Unknown app",
                "No app has this bundle ID.",
                fix: "Create the app with `POST /v1/apps`."
            )
        case .appExists:
            ProblemDescription(
                409,
                "Duplicate app",
                "An app with this bundle ID exists.",
                fix: "Use the existing app, or delete it first with `DELETE /v1/apps/{app}`."
            )
        case .credentialNotFound:
            ProblemDescription(
                404,
                "Unknown credential",
                "The app has no credential with this ID.",
                fix: "List the credentials with `GET /v1/apps/{app}/credentials`."
            )
        case .keyNotFound:
            ProblemDescription(404, "Unknown key", "No API key has this ID.", fix: "List the keys with `GET /v1/keys`.")
        case .keyNotRotatable:
            ProblemDescription(
                409,
                "Key is no longer valid",
                "Only a valid key can be rotated, and this one was revoked or has expired.",
                fix: "Create another key with `POST /v1/keys`."
            )
        case .deviceNotFound:
            ProblemDescription(
                404,
                "Unknown device",
                "The app has no device with this ID.",
                fix: "Register it with `PUT /v1/apps/{app}/devices/{device}`."
            )
        case .notificationNotFound:
            ProblemDescription(
                404,
                "Unknown notification",
                "The app has no notification with this ID, or no APNs response for this `apns-id`.",
                fix: "Use the ID from the response to the send request. Old notifications are pruned: see "
                    + "`notifications.retentionDays`."
            )
        case .notificationNotCompleted:
            ProblemDescription(
                409,
                "Notification in progress",
                "Some targets have no outcome yet, so the list of failed targets is not final.",
                fix: "Wait until `state` is `completed`, `cancelled`, `expired` or `failed`."
            )
        case .notificationAlreadyResent:
            ProblemDescription(
                409,
                "Notification already resent",
                "All failed targets were resent; each is resent once. `detail` names the last notification.",
                fix: "Call `:resend` on that notification for targets that failed again."
            )
        case .nothingToResend:
            ProblemDescription(
                422,
                "No target to resend",
                "No target failed temporarily. Unregistered tokens and requests that break a rule would fail again.",
                fix: "Read the failures: `GET /v1/apps/{app}/notifications/{notification}/failures`."
            )
        case .campaignNotFound:
            ProblemDescription(
                404,
                "Unknown campaign",
                "The app has no campaign with this ID.",
                fix: "List the campaigns with `GET /v1/apps/{app}/campaigns`."
            )
        case .campaignCompleted:
            ProblemDescription(
                409,
                "Completed campaign",
                "The campaign is completed, cancelled, expired or failed. It cannot be paused, resumed or cancelled.",
                fix: "Create another campaign."
            )
        default:
            ProblemDescription(
                409,
                "Conflict with a concurrent change",
                "A concurrent request changed the resource.",
                fix: "Read the resource, then repeat the request with the new state."
            )
        }
    }

    private var serverEntry: ProblemDescription {
        switch self {
        case .storeUnavailable:
            ProblemDescription(
                503,
                "Unavailable store",
                "The store cannot be opened, read or written; for example, the PostgreSQL server is down or a standby. "
                    + "If the connection to it broke during the commit, the request may be stored.",
                fix:
                    "Repeat the request later. Repeat a send request with the same `Idempotency-Key`, so that it is "
                    + "executed once. The log of the server has the cause.",
                retryAfter: 5
            )
        case .storeLocked:
            ProblemDescription(
                503,
                "Locked store",
                "Another process locked the store for longer than the server waits. Nothing of this request was "
                    + "stored.",
                fix: "Repeat the request. If the store stays locked, look for a backup or a tool that locks the "
                    + "database.",
                retryAfter: 1
            )
        case .storeReadOnly:
            ProblemDescription(
                503,
                "Read-only store",
                "The database accepts no writes: a read-only file or file system, or a PostgreSQL role without write "
                    + "permission. Nothing of this request was stored.",
                fix: "Grant write permission to the user of the server.",
                retryAfter: 30
            )
        case .storeFull:
            ProblemDescription(
                507,
                "Full disk of the store",
                "The disk is full. Nothing of this request was stored.",
                fix: "Free space on the file system of the database, then repeat the request.",
                retryAfter: 60
            )
        case .storeCorrupt:
            ProblemDescription(
                503,
                "Corrupt store",
                "The database is corrupt, or has the schema of another version. Nothing of this request was stored.",
                fix: "Read the log. If a newer version has changed the tables, restart the server with that version. "
                    + "Otherwise stop the server and restore the database from a backup.",
                retryAfter: 300
            )
        case .serverBusy:
            ProblemDescription(
                503,
                "No memory for the request body",
                "The bodies of other requests, and the lines of streams, use all memory that is reserved for them "
                    + "(`bodyMegabytes`), or those of the same key use half of it.",
                fix: "Repeat the request after the time in `Retry-After`, or send smaller batches. Open a stream "
                    + "again.",
                retryAfter: 1
            )
        case .shuttingDown:
            ProblemDescription(
                503,
                "Server shutdown",
                "The server received a stop signal while it processed the request.",
                fix: "Check whether the request was executed. If not, repeat it.",
                retryAfter: 1
            )
        default:
            ProblemDescription(
                500,
                "Unexpected server error",
                "The server met an error that it does not handle. Its log has the error with the request ID.",
                fix: "Report it with the `requestID`."
            )
        }
    }
}
