// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part9 = ##"""
                line: { type: integer }
                id: { type: string }
                apnsID: { type: string, format: uuid }
                outcome: { type: string, enum: [delivered, rejected, failed] }
                status: { type: integer }
                reason: { type: string }
                code: { type: string }
                inactiveSince: { type: string, format: date-time }
                problem: { type: object }
                lines: { type: integer }
                refused: { type: integer }
                delivered: { type: integer }
                rejected: { type: integer }
                failed: { type: integer }
                pending: { type: integer }
            Targets:
              description: Exactly one of `tokens`, `devices`, `users`; at most 100,000 elements.
              type: object
              additionalProperties: false
              properties:
                tokens:
                  description: Tokens that the caller keeps.
                  type: array
                  minItems: 1
                  maxItems: 100000
                  items: { $ref: "#/components/schemas/DeviceToken" }
                environment:
                  description: The service that the `tokens` belong to; the app's default one unless given.
                  $ref: "#/components/schemas/Environment"
                devices:
                  description: Installation ids of registered devices.
                  type: array
                  minItems: 1
                  maxItems: 100000
                  items: { type: string }
                users:
                  description: User ids; each stands for all devices that were registered with it.
                  type: array
                  minItems: 1
                  maxItems: 100000
                  items: { type: string }
            Alert:
              description: The usual parts of a notification; the server writes Apple's `aps` from it.
              type: object
              additionalProperties: false
              properties:
                title: { type: string }
                subtitle: { type: string }
                body: { type: string }
                badge:
                  description: The number on the app's icon; 0 removes it.
                  type: integer
                  minimum: 0
                sound:
                  description: The name of a sound file in the app, or `default`.
                  type: string
                threadID: { type: string }
                category: { type: string }
                contentAvailable: { type: boolean }
                mutableContent: { type: boolean }
                targetContentID: { type: string }
                interruptionLevel: { type: string, enum: [passive, active, time-sensitive, critical] }
                relevanceScore: { type: number, minimum: 0, maximum: 1 }
                filterCriteria: { type: string }
                data:
                  description: The app's own keys, which stand beside `aps`.
                  type: object
            Counts:
              type: object
              additionalProperties: false
              required: [delivered, rejected, failed]
              properties:
                delivered:
                  description: How many APNs accepted.
                  type: integer
                rejected:
                  description: How many APNs refused, by its reason.
                  type: object
                  additionalProperties: { type: integer }
                failed:
                  description: How many had no answer from APNs, by our code.
                  type: object
                  additionalProperties: { type: integer }
            Skipped:
              description: Who was named and not sent to, since nothing is registered or it is gone; the first 100 of each.
              type: object
              additionalProperties: false
              required: [count]
              properties:
                count: { type: integer }
                devices: { type: array, items: { type: string } }
                users: { type: array, items: { type: string } }
            Outcome:
              type: object
              additionalProperties: false
              required: [index, apnsID, token, environment, state]
              properties:
                index:
                  description: The place of the target in the request, from 0; devices and users that were skipped do not count.
                  type: integer
                id:
                  description: What the request named the notification; only in the answer to a batch.
                  type: string
                apnsID: { type: string, format: uuid }
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment: { $ref: "#/components/schemas/Environment" }
                device:
                  description: The installation, where the request named it; only in the answer to that request.
                  type: string
                user:
                  description: The user, where the request named them; only in the answer to that request.
                  type: string
                state:
                  description: |
                    `delivered`: APNs accepted it. `rejected`: APNs refused it, see `status` and `reason`. `failed`: there was
                    no answer, see `code`. `pending`: not known yet.
                  type: string
                  enum: [pending, delivered, rejected, failed]
                status:
                  description: The HTTP status with which APNs refused.
                  type: integer
                reason:
                  description: The reason that APNs gave.
                  type: string
                code:
                  description: Why there was no answer, such as `deadline`, `connection`, `no-credential`, `expired`, `damaged`.
                  type: string
                inactiveSince:
                  description: Since when the token has been dead, as APNs said.
                  type: string
                  format: date-time
                resentAs:
                  description: |
                    The notification by which `:resend` has sent it again; only in the list `failures` of `listFailures`. Of a
                    campaign or screening, devices that were gone by then were left out by that notification.
                  type: string
                  format: uuid
            OutcomeWithNotification:
              type: object
              additionalProperties: false
              required: [notification, outcome]
              properties:
                notification: { type: string, format: uuid }
                outcome: { $ref: "#/components/schemas/Outcome" }
            Notification:
              type: object
              additionalProperties: false
              required: [id, app, state, createdAt, targetCount, batchCount, remaining, counts]
              properties:
                id: { type: string, format: uuid }
                app: { type: string }
                state:
                  description: |
                    `accepted`: nothing was sent yet. `sending`: some of it may have been. `settled`: every target has its
                    outcome. `cancelled`, `expired`: what was left was not sent. `failed`: what was left could not be carried
                    out; the code among the failures says why.
                  type: string
                  enum: [accepted, sending, settled, cancelled, expired, failed]
                createdAt: { type: string, format: date-time }
                targetCount: { type: integer }
                batchCount: { type: integer }
                remaining:
                  description: How many targets have no outcome yet.
                  type: integer
                counts: { $ref: "#/components/schemas/Counts" }
                resendOf:
                  description: The notification whose failed targets this one is sent to again.
                  type: string
                  format: uuid
                hasMore:
                  description: |
                    `true` in the answer of `:resend` when more targets failed than one call sends to again: call it once more.
                  type: boolean
                apnsIDs:
                  description: The `apns-id` of each notification of a batch, in the order of the request.
                  type: array
                  items: { type: string, format: uuid }
                skipped: { $ref: "#/components/schemas/Skipped" }
                outcomes:
                  description: Every target in the order of the request.
                  type: array
                  items: { $ref: "#/components/schemas/Outcome" }
                failures:
                  description: A page of the targets that were not delivered, in the order of the request.
                  type: array
                  items: { $ref: "#/components/schemas/Outcome" }
                next:
                  description: Where the next page of `failures` begins.
                  type: string
            CampaignRequest:
              type: object
              additionalProperties: false
              required: [audience, message]
              properties:
                name:
                  description: What people call it; its id unless given.
                  type: string
                  maxLength: 256
                audience: { $ref: "#/components/schemas/Audience" }
                message: { $ref: "#/components/schemas/CampaignMessage" }
                start:
                  description: When it begins; now unless given.
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
                paused:
                  description: |
                    Whether it is created paused: it begins once it is resumed, not before its start, and can be tested before.
                    `false` unless given.
                  type: boolean
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
                  description: Named this topic when they registered.
                  type: string
                subscribers:
                  description: |
                    Get a publication to a topic. Only answers have it: the audience of a campaign that was made by publishing.
                  type: object
                  additionalProperties: false
                  required: [topic, policies]
                  properties:
                    topic: { type: integer }
                    policies: { type: array, items: { type: integer } }
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
                    How many seconds it is worth anything, from when its turn to be sent comes: so long the server tries, and APNs
                    keeps it for a device that is offline. 0 for a single attempt, which APNs keeps for nobody; with an `expiresAt`
                    the server goes on trying until then.
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

        """##
}
