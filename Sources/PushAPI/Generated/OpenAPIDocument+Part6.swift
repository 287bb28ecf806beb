// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part6 = ##"""
                  $ref: "#/components/schemas/CampaignStart"
                throttle:
                  description: How many notifications are sent in a second at most; unless given, as many as can be.
                  type: integer
                  minimum: 1
                  maximum: 1000000
                expiresAt:
                  description: The time from which nothing more is sent.
                  type: string
                  format: date-time
            Audience:
              description: |
                A choice of devices: an object with exactly one member. Nested at most 16 deep, 200 expressions and 10,000 users
                in all. A condition on something that a device did not tell does not hold. Texts are compared byte by byte.
              type: object
              minProperties: 1
              maxProperties: 1
              additionalProperties: false
              properties:
                all:
                  description: "`true`: every device."
                  type: boolean
                topic:
                  description: Subscribed to this topic.
                  type: string
                tag:
                  description: Has this tag, with this value or with one that contains this text.
                  type: object
                  additionalProperties: false
                  required: [name]
                  properties:
                    name: { type: string }
                    equals: { type: string }
                    contains: { type: string }
                locale:
                  description: Of this language or locale; `de` is also `de-AT` and `de_AT`, in either case.
                  type: string
                timeZone:
                  description: The IANA name that the device told.
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
                    `campaign.cancelled`, `campaign.expired`, `campaign.failed`, `credential.troubled`, `credential.recovered`,
                    `webhook.disabled`, and others to come.
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

        """##
}
