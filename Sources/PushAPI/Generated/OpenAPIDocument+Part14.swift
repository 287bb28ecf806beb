// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part14 = ##"""
                  type: string
            WebhookList:
              type: object
              additionalProperties: false
              required: [webhooks]
              properties:
                webhooks: { type: array, items: { $ref: "#/components/schemas/Webhook" } }
            WebhookAnswer:
              type: object
              additionalProperties: false
              required: [ok, milliseconds]
              properties:
                ok:
                  description: Whether the status was a 2xx.
                  type: boolean
                status:
                  description: The status with which the receiver answered.
                  type: integer
                failure:
                  description: |
                    Why there was no answer: `deadline`, `connection`, `tls`, `unresolved`, `private-address`, `secret`,
                    `unavailable`.
                  type: string
                excerpt:
                  description: The beginning of what the receiver said, or what went wrong.
                  type: string
                milliseconds: { type: integer }
            WebhookDelivery:
              type: object
              additionalProperties: false
              required: [id, time, first, last, count, attempt, answer]
              properties:
                id:
                  description: The `webhook-id` of the request.
                  type: string
                time: { type: string, format: date-time }
                first: { type: string }
                last: { type: string }
                count: { type: integer }
                attempt: { type: integer }
                answer: { $ref: "#/components/schemas/WebhookAnswer" }
            WebhookDeliveryList:
              type: object
              additionalProperties: false
              required: [deliveries]
              properties:
                deliveries: { type: array, items: { $ref: "#/components/schemas/WebhookDelivery" } }

            FailureList:
              type: object
              additionalProperties: false
              required: [failures]
              properties:
                failures: { type: array, items: { $ref: "#/components/schemas/Outcome" } }
                next: { type: string }
            ResendRequest:
              type: object
              additionalProperties: false
              properties:
                expiration:
                  description: |
                    Until when APNs keeps it, in seconds since 1970, and until when the server tries; 0 for a single attempt. Unless
                    given it stays as it was; a time that has passed asks for a single attempt.
                  type: integer
                  minimum: 0
            Waiting:
              description: What waits in a lane, or is being sent.
              type: object
              additionalProperties: false
              required: [lane, batches, oldestAt, oldestSeconds]
              properties:
                lane: { type: string, enum: [urgent, bulk] }
                batches: { type: integer }
                oldestAt:
                  description: When the oldest of the batches was accepted.
                  type: string
                  format: date-time
                oldestSeconds:
                  description: How old that is.
                  type: integer
            DeliveryLine:
              description: The pushes of an app in one environment with one credential.
              type: object
              additionalProperties: false
              required: [environment, credential, state, waiting]
              properties:
                environment: { $ref: "#/components/schemas/Environment" }
                credential:
                  description: The id of the credential.
                  type: string
                state:
                  description: |
                    `answering`: APNs serves it. `unproven`: a small slice is sent to find out. `paused`: nothing is sent before
                    `nextAttempt`; another credential is tried at once.
                  type: string
                  enum: [unproven, answering, paused]
                cause:
                  description: |
                    What is wrong, until APNs serves again: `unreachable` (no connection), `credential` (APNs refuses it) or
                    `overload` (a storm of 429 and 5xx).
                  type: string
                  enum: [unreachable, credential, overload]
                reason:
                  description: Apple's word for it, or what the connection came to.
                  type: string
                since: { type: string, format: date-time }
                nextAttempt: { type: string, format: date-time }
                waiting: { type: array, items: { $ref: "#/components/schemas/Waiting" } }
            DeliveryPauseWaiting:
              description: What keeps the pushes of an app from being sent in one environment with one credential.
              type: object
              additionalProperties: false
              required: [environment, credential, cause, reason, since, nextAttempt, waiting]
              properties:
                environment: { $ref: "#/components/schemas/Environment" }
                credential:
                  description: The id of the credential.
                  type: string
                cause:
                  description: |
                    What is wrong: `unreachable` (no connection), `credential` (APNs refuses it) or `overload` (a storm of 429 and
                    5xx).
                  type: string
                  enum: [unreachable, credential, overload]
                reason:
                  description: Apple's word for it, or what the connection came to.
                  type: string
                since: { type: string, format: date-time }
                nextAttempt: { type: string, format: date-time }
                waiting:
                  description: What waits for its end; absent lanes have nothing.
                  type: array
                  items: { $ref: "#/components/schemas/Waiting" }
            Delivery:
              type: object
              additionalProperties: false
              required: [app, delivers, lines, pauses, waiting]
              properties:
                app: { type: string }
                delivers:
                  description: Whether the process that answers delivers at all; if not, it has no `lines`, and `pauses` tells.
                  type: boolean
                lines: { type: array, items: { $ref: "#/components/schemas/DeliveryLine" } }
                pauses:
                  description: |
                    What is paused, as the process noted that tried last, whichever that is. It is noted a moment after it
                    begins or ends, and counts for 2 minutes behind `nextAttempt`: then whoever noted it is gone.
                  type: array
                  items: { $ref: "#/components/schemas/DeliveryPauseWaiting" }
                waiting:
                  description: What waits for the app, in the store that all processes share.
                  type: array
                  items: { $ref: "#/components/schemas/Waiting" }

            Fault:
              type: object
              additionalProperties: false
              required: [field, rule, value]
              properties:
                field:
                  description: Where the value stands, such as `targets.tokens[3]`, `query.limit` or `path.installation`.
                  type: string
                rule:
                  description: What is expected there.
                  type: string
                value:
                  description: What was found; its size or kind where the value is long or secret.
                  type: string
            Problem:
              description: A refusal (RFC 9457).
              type: object
              additionalProperties: false
              required: [type, title, status, code, detail, requestID]
              properties:
                type:
                  description: The path at which this server explains the problem.
                  type: string
                  format: uri-reference
                title: { type: string }
                status: { type: integer }
                code:
                  description: Which problem it is; stable.
                  type: string
                  enum:
                    - malformed_json
                    - unsupported_media_type
                    - body_too_large
                    - route_not_found
                    - method_not_allowed
                    - invalid_request
                    - invalid_device_token
                    - payload_too_large
                    - too_many_targets
                    - no_targets
                    - invalid_credential
                    - wrong_password
                    - master_key_missing
                    - idempotency_key_reused
                    - line_too_long
                    - stream_gap
                    - stream_taken
                    - too_many_streams
                    - missing_key
                    - invalid_key
                    - expired_key
                    - revoked_key
                    - missing_scope
                    - key_not_for_app
                    - app_not_found
                    - app_exists
                    - credential_not_found
                    - key_not_found
                    - device_not_found
                    - notification_not_found
                    - notification_not_final
                    - notification_resent
                    - nothing_to_resend
                    - campaign_not_found
                    - campaign_ended
                    - webhook_not_found
                    - too_many_webhooks
                    - cursor_expired
                    - screening_not_found
                    - screening_ended
                    - activity_not_found
                    - activity_exists
                    - activity_over
                    - activity_over_budget
                    - activity_state_unknown
                    - activity_not_startable
                    - activity_limit
                    - transition_not_found
                    - job_not_found
                    - job_busy
                    - job_is_code
                    - too_many_jobs
                    - topic_not_found
                    - topic_shared
                    - subscription_not_found
                    - too_many_filter_policies
                    - activity_type_not_found
                    - content_mismatch
                    - channel_not_found
                    - channel_exists
                    - channel_in_use
                    - channel_not_ready
                    - channel_gone
                    - channel_limit
                    - broadcast_disabled
                    - no_credential
                    - apns_refused
                    - apns_unavailable
                    - conflict
                    - store_unavailable
                    - store_locked
                    - store_read_only
                    - store_full
                    - store_corrupt
                    - shutting_down
                    - internal_error
                detail: { type: string }
                errors:
                  description: The faults that were found, at most 20.
                  type: array
                  items: { $ref: "#/components/schemas/Fault" }
                errorCount:
                  description: How many faults there are in all.
                  type: integer
                requestID: { type: string }

        """##
}
