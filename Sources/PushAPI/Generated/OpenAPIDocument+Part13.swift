// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part13 = ##"""
                webhook: { $ref: "#/components/schemas/JobWebhook" }
                overlap: { type: string, enum: [skip, queue, allow] }
                misfire: { type: string, enum: [once, each, skip] }
                misfireWithin: { type: integer }
                jitter: { type: integer }
                retries: { type: integer }
                deadline: { type: integer }
                paused: { type: boolean }
                nextAt:
                  description: The next occurrence, without its jitter.
                  type: string
                  format: date-time
                createdAt: { type: string, format: date-time }
                updatedAt: { type: string, format: date-time }
                lastRun: { $ref: "#/components/schemas/JobRun" }
            JobList:
              type: object
              additionalProperties: false
              required: [jobs]
              properties:
                jobs: { type: array, items: { $ref: "#/components/schemas/Job" } }
                next: { type: string }
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

            Event:
              type: object
              additionalProperties: false
              required: [id, app, time, kind, data]
              properties:
                id:
                  description: Its place in the feed, unique within the app; pass it as `after` to go on behind it.
                  type: string
                app: { type: string }
                time: { type: string, format: date-time }
                kind:
                  description: |
                    What happened: `notification.accepted`, `notification.settled`, `device.invalidated`, `device.suspected`,
                    `campaign.scheduled`, `campaign.started`, `campaign.paused`, `campaign.resumed`, `campaign.finished`,
                    `campaign.cancelled`, `campaign.expired`, `campaign.failed`, `activity.started`, `activity.ended`,
                    `activity.phone_gone`, `activity.channel_gone`, `credential.troubled`, `credential.recovered`, `webhook.disabled`, and others to come.
                  type: string
                data:
                  description: What there is to tell; its members depend on the kind.
                  type: object
            EventList:
              type: object
              additionalProperties: false
              required: [events, cursor]
              properties:
                events: { type: array, items: { $ref: "#/components/schemas/Event" } }
                cursor:
                  description: Pass it as `after` to go on, whenever that may be.
                  type: string
                next:
                  description: The same as `cursor`; there only when more events follow at once.
                  type: string

            WebhookRequest:
              type: object
              additionalProperties: false
              required: [url]
              properties:
                url:
                  description: Where events are posted; `https`, on the public internet, unless the server allows more.
                  type: string
                  format: uri
                  maxLength: 2048
                kinds:
                  description: The kinds that are posted; all unless given.
                  type: array
                  minItems: 1
                  maxItems: 64
                  items: { type: string }
            WebhookPatch:
              description: What to change; what is left out stays.
              type: object
              additionalProperties: false
              properties:
                url: { type: string, format: uri, maxLength: 2048 }
                kinds: { type: array, minItems: 1, maxItems: 64, items: { type: string } }
                allKinds:
                  description: "`true` posts all kinds."
                  type: boolean
                state: { type: string, enum: [active, paused] }
            Webhook:
              type: object
              additionalProperties: false
              required: [id, app, url, state, cursor, failures, lost, createdAt]
              properties:
                id: { type: string }
                app: { type: string }
                url: { type: string }
                kinds:
                  description: The kinds that are posted; all where it is missing.
                  type: array
                  items: { type: string }
                state: { type: string, enum: [active, paused, disabled] }
                disabledReason:
                  description: "`gone`: the receiver answered 410. `failing`: it failed for too long."
                  type: string
                  enum: [gone, failing]
                disabledSince: { type: string, format: date-time }
                cursor:
                  description: The last event that it has taken.
                  type: string
                failures:
                  description: How many requests failed in a row.
                  type: integer
                failingSince: { type: string, format: date-time }
                nextAttempt: { type: string, format: date-time }
                lost:
                  description: How many of its events were removed from the feed before it could take them.
                  type: integer
                createdAt: { type: string, format: date-time }
                secret:
                  description: What verifies its requests; only in the answer to the request that made it.
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
            Delivery:
              type: object
              additionalProperties: false
              required: [app, delivers, lines, waiting]
              properties:
                app: { type: string }
                delivers:
                  description: Whether the process that answers delivers at all; if not, it has no `lines`.
                  type: boolean
                lines: { type: array, items: { $ref: "#/components/schemas/DeliveryLine" } }
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

        """##
}
