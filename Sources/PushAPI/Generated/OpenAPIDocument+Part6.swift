// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part6 = ##"""
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
            ScreeningRequest:
              type: object
              additionalProperties: false
              required: [spreadSeconds]
              properties:
                name: { type: string, maxLength: 256 }
                audience:
                  description: Which devices are tried; all of them unless given.
                  $ref: "#/components/schemas/Audience"
                spreadSeconds:
                  description: Over how many seconds the devices are spread; 0 sends as fast as can be.
                  type: integer
                  minimum: 0
                  maximum: 604800
                correct:
                  description: Whether devices whose token belongs to the other environment are corrected.
                  type: boolean
                  default: false
                startAt:
                  description: When it begins; at once unless given.
                  type: string
                  format: date-time
            Screening:
              type: object
              additionalProperties: false
              required: [id, app, name, createdAt, startAt, audience, spreadSeconds, correct, state, phase, isSettled, report]
              properties:
                id: { type: string, format: uuid }
                app: { type: string }
                name: { type: string }
                createdAt: { type: string, format: date-time }
                startAt: { type: string, format: date-time }
                expiresAt: { type: string, format: date-time }
                audience: { $ref: "#/components/schemas/Audience" }
                spreadSeconds: { type: integer }
                correct: { type: boolean }
                state: { type: string, enum: [scheduled, running, paused, finished, cancelled, expired, failed] }
                reason: { type: string }
                phase:
                  description: |
                    `checking` devices in their own environment, `rechecking` bad tokens in the other one, `correcting` devices,
                    `done`.
                  type: string
                  enum: [checking, rechecking, correcting, done]
                expected: { type: integer, description: How many devices there are; absent until they were counted. }
                remaining: { type: integer, description: How many have no outcome yet; absent until they were counted. }
                perSecond: { type: number }
                isSettled: { type: boolean, description: Whether nothing of it will change any more. }
                report: { $ref: "#/components/schemas/ScreeningReport" }
            ScreeningReport:
              type: object
              additionalProperties: false
              required: [checked, alive, dead, otherEnvironment, corrected, bad, unknown]
              properties:
                checked: { type: integer, description: Devices that have an outcome in their own environment. }
                alive: { type: integer, description: Whose token is good. }
                dead: { type: integer, description: Whose token APNs calls dead (410). }
                otherEnvironment: { type: integer, description: Whose token is accepted in the other environment. }
                corrected: { type: integer, description: How many of these were corrected. }
                bad: { type: integer, description: Whose token is bad in both environments. }
                unknown:
                  description: Outcomes that say nothing of the token, by reason and by code.
                  type: object
                  additionalProperties: false
                  required: [rejected, failed]
                  properties:
                    rejected: { type: object, additionalProperties: { type: integer } }
                    failed: { type: object, additionalProperties: { type: integer } }
            ScreeningList:
              type: object
              additionalProperties: false
              required: [screenings]
              properties:
                screenings: { type: array, items: { $ref: "#/components/schemas/Screening" } }
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

        """##
}
