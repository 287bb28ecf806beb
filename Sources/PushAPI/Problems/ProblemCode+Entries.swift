// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension ProblemCode {
    package var entry: ProblemEntry {
        switch self {
        case .malformedJSON, .unsupportedMediaType, .bodyTooLarge, .requestTimeout, .routeNotFound, .methodNotAllowed:
            self.requestEntry
        case .invalidRequest, .invalidDeviceToken, .payloadTooLarge, .tooManyTargets, .noTargets,
            .invalidCredential, .wrongPassword, .masterKeyMissing, .idempotencyKeyReused:
            self.contentEntry
        case .lineTooLong, .streamGap, .streamTaken, .tooManyStreams:
            self.streamEntry
        case .missingKey, .invalidKey, .expiredKey, .revokedKey, .tooManyFailures, .missingScope, .keyNotForApp:
            self.accessEntry
        case .appNotFound, .appExists, .credentialNotFound, .keyNotFound, .deviceNotFound, .notificationNotFound,
            .notificationNotFinal, .notificationResent, .nothingToResend, .campaignNotFound, .campaignEnded, .conflict:
            self.resourceEntry
        case .webhookNotFound, .tooManyWebhooks, .cursorExpired:
            self.eventEntry
        case .screeningNotFound, .screeningEnded: self.screeningEntry
        case .activityNotFound, .activityExists, .activityOver, .activityOverBudget, .activityStateUnknown,
            .activityNotStartable,
            .activityLimit, .transitionNotFound, .activityTypeNotFound, .contentMismatch:
            self.activityEntry
        case .channelNotFound, .channelExists, .channelInUse, .channelNotReady, .channelGone, .channelLimit,
            .broadcastDisabled,
            .noCredential, .apnsRefused, .apnsUnavailable:
            self.channelEntry
        case .jobNotFound, .jobBusy, .jobIsCode, .tooManyJobs: self.jobEntry
        case .topicNotFound, .topicShared, .subscriptionNotFound, .tooManyFilterPolicies: self.topicEntry
        case .quarantinedItemNotFound, .batchNotRepeatable: self.quarantineEntry
        case .storeUnavailable, .storeLocked, .storeReadOnly, .storeFull, .storeCorrupt, .serverBusy,
            .shuttingDown, .internalError:
            self.serverEntry
        }
    }

    private var requestEntry: ProblemEntry {
        switch self {
        case .malformedJSON:
            ProblemEntry(
                400,
                "The body is not JSON",
                "The body breaks the grammar of JSON (RFC 8259), holds a number beyond the range of a double, or nests "
                    + "deeper than 128 levels. `detail` names the first wrong byte, counted from 0.",
                fix: "Send one JSON object in UTF-8. A shell may have eaten quotation marks: send the body from a file."
            )
        case .unsupportedMediaType:
            ProblemEntry(
                415,
                "The body is announced as what is not taken",
                "`Content-Type` names something other than `application/json`, or what else the route takes; or "
                    + "`Content-Encoding` names a compression. `errors` names the header.",
                fix:
                    "Send `Content-Type: application/json`: `curl -d` sends another type unless told otherwise. Send the "
                    + "body as it is: compressed ones are not unpacked."
            )
        case .bodyTooLarge:
            ProblemEntry(
                413,
                "The body is too large",
                "The body has more bytes than the route takes. `detail` names the limit.",
                fix: "Split the request; a request to send takes up to 100,000 targets."
            )
        case .requestTimeout:
            ProblemEntry(
                408,
                "The body came too slowly",
                "The body took more than 5 minutes, or came with less than 4,096 bytes a second for more than 10 seconds. "
                    + "The connection is closed.",
                fix: "Send the request again, over a faster connection or with less in it."
            )
        case .methodNotAllowed:
            ProblemEntry(
                405,
                "The path does not know this method",
                "The path exists, for other methods; `Allow` lists them.",
                fix: "Compare the request with the document at `/openapi.yaml`."
            )
        default:
            ProblemEntry(
                404,
                "There is no such path",
                "No route has this path.",
                fix: "Compare the request with the document at `/openapi.yaml`; paths begin with `/v1`."
            )
        }
    }

    private var contentEntry: ProblemEntry {
        switch self {
        case .invalidDeviceToken:
            ProblemEntry(
                422,
                "A device token is not one",
                "At least one token is not hexadecimal or has a wrong size. `errors` holds the place of each (the "
                    + "first 20), never the token itself. Nothing was stored.",
                fix: "Send each token as 2 to 200 hexadecimal digits, without spaces and brackets."
            )
        case .payloadTooLarge:
            ProblemEntry(
                413,
                "The payload is over Apple's limit",
                "APNs takes 4096 bytes, 5120 for VoIP, and would refuse the payload. `errors` holds size and limit.",
                fix: "Shorten the text, or send an identifier by which the app fetches the rest."
            )
        case .tooManyTargets:
            ProblemEntry(
                413,
                "Too many targets",
                "One request to send takes at most 100,000 targets. For users, all of their devices count.",
                fix: "Split the targets over several requests."
            )
        case .noTargets:
            ProblemEntry(
                422,
                "Nobody can be reached",
                "None of the devices or users that were named has a registered device that is not known to be gone.",
                fix: "Register the devices, or look at their status: `GET /v1/apps/{app}/devices/{installation}`."
            )
        case .invalidCredential:
            ProblemEntry(
                422,
                "The credential is none",
                """
                The key or certificate could not be read: it is damaged, of another kind, or the file is missing. Or the \
                certificate has expired, and APNs would not take it. Or `file` is outside of the directory that the \
                configuration key `credentialDirectory` names.
                """,
                fix: """
                    Send the `.p8` as Apple gave it, line breaks included, or the `.p12` in Base64; renew what has expired. \
                    Move a file into `credentialDirectory`.
                    """
            )
        case .wrongPassword:
            ProblemEntry(
                422,
                "The password does not open the certificate",
                "The `.p12` is encrypted under another password, or under one where none was given.",
                fix: "Give the password with which the certificate was exported."
            )
        case .masterKeyMissing:
            ProblemEntry(
                409,
                "The server may not keep secrets",
                "The server was started without a master key, so it cannot seal a credential in its store.",
                fix: "Start the server with a master key, or name a `file` that the server can read."
            )
        case .idempotencyKeyReused:
            ProblemEntry(
                422,
                "The idempotency key was used for another request",
                "Within the last 24 hours this API key sent another body, or one to another path, with the same "
                    + "`Idempotency-Key`. Nothing of this request was stored.",
                fix: "Make a new key for every request, and repeat a request byte for byte."
            )
        default:
            ProblemEntry(
                422,
                "The request breaks a rule",
                "A member is unknown, missing, of a wrong type or out of range. `errors` holds field, rule and value "
                    + "of each fault (the first 20). Nothing was stored.",
                fix: "Change the fields that `errors` names."
            )
        }
    }

    private var accessEntry: ProblemEntry {
        switch self {
        case .missingKey:
            ProblemEntry(
                401,
                "No API key was sent",
                "The request has no `Authorization` header.",
                fix: "Send `Authorization: Bearer apus_...`. `apus keys create` makes the first key."
            )
        case .expiredKey:
            ProblemEntry(
                401,
                "The API key has expired",
                "The key was made with an end, which has passed.",
                fix: "Create another key."
            )
        case .revokedKey:
            ProblemEntry(
                401,
                "The API key was revoked",
                "Somebody revoked the key.",
                fix: "Create another key."
            )
        case .tooManyFailures:
            ProblemEntry(
                429,
                "Too many requests without a valid key",
                "The address that the request came from has sent many requests without a valid key, and this one names a key "
                    + "that the server has not read lately.",
                fix: "Correct the key. The address may fail once a second.",
                retryAfter: 60
            )
        case .missingScope:
            ProblemEntry(
                403,
                "The API key may not do this",
                "The key lacks the scope that the route asks for; `detail` names it.",
                fix: "Use a key with that scope; a key's scopes cannot be changed."
            )
        case .keyNotForApp:
            ProblemEntry(
                403,
                "The API key is for another app",
                "The key is bound to one app. It may use the routes below that app, and `/v1/quarantine` for items of that app.",
                fix: "Use a key of that app, or one that is bound to none."
            )
        default:
            ProblemEntry(
                401,
                "The API key is not known",
                "The `Authorization` header is not `Bearer` with an API key, or there is no such key.",
                fix: "Send the key as it was shown when it was made: `apus_`, 16 digits, `_`, 64 digits."
            )
        }
    }

    private var resourceEntry: ProblemEntry {
        switch self {
        case .appNotFound:
            ProblemEntry(
                404,
                "There is no such app",
                "No app with this bundle identifier was created.",
                fix: "Create it with `POST /v1/apps`."
            )
        case .appExists:
            ProblemEntry(
                409,
                "The app exists",
                "An app with this bundle identifier was created before.",
                fix: "Use it as it is."
            )
        case .credentialNotFound:
            ProblemEntry(
                404,
                "There is no such credential",
                "The app has no credential with this id.",
                fix: "List them with `GET /v1/apps/{app}/credentials`."
            )
        case .keyNotFound:
            ProblemEntry(404, "There is no such key", "No API key has this id.", fix: "List them with `GET /v1/keys`.")
        case .deviceNotFound:
            ProblemEntry(
                404,
                "There is no such device",
                "The app has no device with this installation id.",
                fix: "Register it with `PUT /v1/apps/{app}/devices/{installation}`."
            )
        case .notificationNotFound:
            ProblemEntry(
                404,
                "There is no such notification",
                "The app has no notification with this id, or none to which APNs answered under this `apns-id`.",
                fix: "Use the id from the answer to the request that sent it. What was settled long ago is removed: "
                    + "see `notifications.retentionDays`."
            )
        case .notificationNotFinal:
            ProblemEntry(
                409,
                "The notification is still being sent",
                "Some of its targets have no outcome yet, so that what failed for good is not known.",
                fix: "Wait until its `state` is one of `settled`, `cancelled`, `expired`, `failed`."
            )
        case .notificationResent:
            ProblemEntry(
                409,
                "The notification was sent again before",
                "What failed of a notification is sent again once, and all of it was; `detail` names the last notification that does it.",
                fix: "Look at that one. What failed of it can be sent again in its turn."
            )
        case .nothingToResend:
            ProblemEntry(
                422,
                "There is nothing to send again",
                "No target failed in a way that may pass: dead tokens and requests that break a rule fail again.",
                fix: "Look at the failures: `GET /v1/apps/{app}/notifications/{notification}/failures`."
            )
        case .campaignNotFound:
            ProblemEntry(
                404,
                "There is no such campaign",
                "The app has no campaign with this id.",
                fix: "List them with `GET /v1/apps/{app}/campaigns`."
            )
        case .campaignEnded:
            ProblemEntry(
                409,
                "The campaign has ended",
                "It is finished, cancelled, expired or failed, so that it can be neither paused nor resumed nor "
                    + "cancelled.",
                fix: "Create another campaign."
            )
        default:
            ProblemEntry(
                409,
                "Something else was changed first",
                "The request does not fit what is stored by now.",
                fix: "Read the state again and decide anew."
            )
        }
    }

    private var serverEntry: ProblemEntry {
        switch self {
        case .storeUnavailable:
            ProblemEntry(
                503,
                "The store cannot be reached",
                "The store could not be opened, read or written. Where the connection to it broke while the request was "
                    + "being stored, it may be stored all the same.",
                fix:
                    "Repeat the request later; one that sends, with the same `Idempotency-Key`, so that it is carried out "
                    + "once. The server's log names the cause.",
                retryAfter: 5
            )
        case .storeLocked:
            ProblemEntry(
                503,
                "The store is locked",
                "Another process held the store for longer than the server waits. Nothing of this request was stored.",
                fix: "Repeat the request. If it stays locked, look for a backup or a tool that holds the database.",
                retryAfter: 1
            )
        case .storeReadOnly:
            ProblemEntry(
                503,
                "The store cannot be written",
                "The database's file or file system is read-only. Nothing of this request was stored.",
                fix: "Give the server's user the right to write to the database and its directory.",
                retryAfter: 30
            )
        case .storeFull:
            ProblemEntry(
                507,
                "There is no room in the store",
                "The disk is full. Nothing of this request was stored.",
                fix: "Make room on the file system of the database, then repeat the request.",
                retryAfter: 60
            )
        case .storeCorrupt:
            ProblemEntry(
                503,
                "The store is corrupt",
                "The database's content is not what the server wrote. Nothing of this request was stored.",
                fix: "Read the log: where a newer version has changed the tables, restart the server with that one. "
                    + "Otherwise stop the server and restore the database from a backup.",
                retryAfter: 300
            )
        case .serverBusy:
            ProblemEntry(
                503,
                "The server has no memory for the body",
                "The bodies of other requests take up all memory that bodies may (`bodyMegabytes`).",
                fix: "Repeat the request after the time in `Retry-After`, or send smaller batches.",
                retryAfter: 1
            )
        case .shuttingDown:
            ProblemEntry(
                503,
                "The server is stopping",
                "The server was told to stop while it worked on the request.",
                fix: "Repeat the request; look first whether it was carried out.",
                retryAfter: 1
            )
        default:
            ProblemEntry(
                500,
                "The server failed",
                "Something that should not happen did. The server's log has it under the request's id.",
                fix: "Report it with the `requestID`."
            )
        }
    }
}
