// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part5 = ##"""
                  type: string
                platform:
                  description: The system that the device told, such as `ios`.
                  type: string
                appVersion:
                  description: A version within a range; compared number by number, so that `2.10` is later than `2.9`.
                  type: object
                  additionalProperties: false
                  properties:
                    atLeast: { type: string }
                    below: { type: string }
                users:
                  description: The devices of these users.
                  type: array
                  minItems: 1
                  maxItems: 10000
                  items: { type: string }
                environment: { $ref: "#/components/schemas/Environment" }
                seen:
                  description: Last heard of within a span.
                  $ref: "#/components/schemas/TimeSpan"
                registered:
                  description: Registered last within a span.
                  $ref: "#/components/schemas/TimeSpan"
                and:
                  type: array
                  minItems: 1
                  items: { $ref: "#/components/schemas/Audience" }
                or:
                  type: array
                  minItems: 1
                  items: { $ref: "#/components/schemas/Audience" }
                not: { $ref: "#/components/schemas/Audience" }
            TimeSpan:
              description: From a time on, and before another; at least one of both.
              type: object
              additionalProperties: false
              properties:
                after: { type: string, format: date-time }
                before: { type: string, format: date-time }
            CampaignMessage:
              type: object
              additionalProperties: false
              required: [default]
              properties:
                pushType:
                  description: Apple's push type; `alert` unless given.
                  type: string
                priority:
                  description: 10 at once, 5 with regard to the battery, 1 without waking the device. Apple's default is 10.
                  type: integer
                  enum: [1, 5, 10]
                timeToLive:
                  description: |
                    How many seconds APNs keeps it for a device that is offline, from when it is sent; 0 for a single attempt.
                  type: integer
                  minimum: 0
                  maximum: 2592000
                collapseID:
                  description: A later notification with the same id replaces this one on the screen; at most 64 bytes.
                  type: string
                default:
                  description: What devices receive for whose locale there is no variant.
                  $ref: "#/components/schemas/CampaignVariant"
                variants:
                  description: What devices of a language or locale receive; the nearest one counts. At most 100.
                  type: object
                  additionalProperties: { $ref: "#/components/schemas/CampaignVariant" }
            CampaignVariant:
              description: |
                Exactly one of `payload` and `notification`. Within texts, `{{locale}}`, `{{userID}}` and `{{tags.name}}` stand
                for what the device told, `{{tags.name|there}}` for `there` where it told nothing. A device for which a value is
                missing, or whose payload is over Apple's limit, fails as `missing-value` or `payload-too-large`.
              type: object
              additionalProperties: false
              properties:
                payload:
                  description: The JSON object that devices receive.
                  type: object
                notification: { $ref: "#/components/schemas/Alert" }
            CampaignStart:
              description: Exactly one of these.
              type: object
              additionalProperties: false
              properties:
                now: { type: boolean }
                at:
                  description: An instant; one that has passed means at once.
                  type: string
                  format: date-time
                local: { $ref: "#/components/schemas/LocalStart" }
            LocalStart:
              description: |
                A local time in each device's time zone. Where clocks skip it, the instant at which they are set forward; where
                they show it twice, the first. The campaign starts 14 hours before UTC reaches it.
              type: object
              additionalProperties: false
              required: [time]
              properties:
                time:
                  description: A date and a time of day without a zone, such as `2036-03-20T09:00`.
                  type: string
                fallbackZone:
                  description: The zone of devices that told none, or one that is not known; `UTC` unless given.
                  type: string
                sendPassed:
                  description: |
                    Whether devices whose time has passed when the campaign starts are sent to at once, or else not at all;
                    `true` unless given.
                  type: boolean
            Campaign:
              type: object
              additionalProperties: false
              required: [id, app, name, createdAt, audience, message, start, progress]
              properties:
                id: { type: string, format: uuid }
                app: { type: string }
                name: { type: string }
                createdAt: { type: string, format: date-time }
                audience: { $ref: "#/components/schemas/Audience" }
                message: { $ref: "#/components/schemas/CampaignMessage" }
                start: { $ref: "#/components/schemas/CampaignStart" }
                throttle: { type: integer }
                expiresAt: { type: string, format: date-time }
                progress: { $ref: "#/components/schemas/CampaignProgress" }
            CampaignList:
              type: object
              additionalProperties: false
              required: [campaigns]
              properties:
                campaigns: { type: array, items: { $ref: "#/components/schemas/Campaign" } }
                next: { type: string }
            CampaignProgress:
              type: object
              additionalProperties: false
              required: [state, planned, underWay, sent, counts, isSettled]
              properties:
                state:
                  description: |
                    `scheduled`: it waits for its start. `running`, `paused`. `finished`: every device has its outcome.
                    `cancelled`, `expired`: nothing more is sent. `failed`: it could not be planned; `reason` says why.
                  type: string
                  enum: [scheduled, running, paused, finished, cancelled, expired, failed]
                reason: { type: string }
                expected:
                  description: How many devices the audience has; absent until they are counted.
                  type: integer
                planned:
                  description: How many devices were read and given their message so far.
                  type: integer
                underWay:
                  description: How many of these have no outcome yet.
                  type: integer
                remaining:
                  description: How many devices have no outcome yet, planned or not; absent until the audience is counted.
                  type: integer
                sent:
                  description: How many APNs has answered for, whether it accepted or refused.
                  type: integer
                counts: { $ref: "#/components/schemas/Counts" }
                wave:
                  description: Which group of time zones is being sent to, or is next.
                  type: object
                  additionalProperties: false
                  required: [number, count, due]
                  properties:
                    number: { type: integer }
                    count: { type: integer }
                    due: { type: string, format: date-time }
                perSecond:
                  description: How many outcomes there were in a second of late; absent until it was looked at twice.
                  type: number
                secondsLeft:
                  description: How long it will take at that rate.
                  type: number
                isSettled:
                  description: Whether nothing of it will change any more.
                  type: boolean
            EstimateRequest:
              type: object
              additionalProperties: false
              required: [audience]
              properties:
                audience: { $ref: "#/components/schemas/Audience" }
            Estimate:
              type: object
              additionalProperties: false
              required: [count]
              properties:
                count: { type: integer }
            CampaignTestRequest:
              description: Exactly one of `devices` and `users`; at most 100 elements.
              type: object
              additionalProperties: false
              properties:
                devices:
                  type: array
                  minItems: 1
                  maxItems: 100
                  items: { type: string }
                users:
                  type: array
                  minItems: 1
                  maxItems: 100
                  items: { type: string }

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
                    - campaign_not_found
                    - campaign_ended
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
