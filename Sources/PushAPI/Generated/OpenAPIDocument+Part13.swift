// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part13 = ##"""
                where:
                  description: |
                    Only those whose content state has each of these members with the same value; `null` fits one that is absent.
                  type: object
                change: { $ref: "#/components/schemas/JobActivityChange" }
            JobWebhook:
              type: object
              additionalProperties: false
              required: [webhook]
              properties:
                webhook:
                  description: The app's webhook whose URL is called, and whose secret signs.
                  type: string
                body:
                  description: What the receiver gets as `body`, beside the names of the job and the run.
                  type: object
            JobRequest:
              description: Exactly one of `notification`, `campaign`, `activities` and `webhook` says what is done.
              type: object
              additionalProperties: false
              required: [schedule]
              properties:
                schedule: { $ref: "#/components/schemas/JobSchedule" }
                notification: { $ref: "#/components/schemas/JobNotification" }
                campaign:
                  description: A campaign whose definition is copied; each run sends it anew.
                  type: string
                  format: uuid
                activities: { $ref: "#/components/schemas/JobActivities" }
                webhook: { $ref: "#/components/schemas/JobWebhook" }
                overlap:
                  description: |
                    What becomes of an occurrence that is due while a run has not ended: it is left out, it waits (one of them), or it
                    runs beside it (up to ten; up to a hundred with `each`). `queue` is the default where `misfire` is `each`.
                  type: string
                  enum: [skip, queue, allow]
                  default: skip
                misfire:
                  description: |
                    What becomes of occurrences that were missed by more than a minute, since no scheduler ran: one run makes up for all,
                    each is made up for (the newest 100), or they are left out.
                  type: string
                  enum: [once, each, skip]
                  default: once
                misfireWithin:
                  description: How many seconds late an occurrence may be to be made up for.
                  type: integer
                  minimum: 60
                  maximum: 2592000
                  default: 3600
                jitter:
                  description: Up to how many seconds later a run begins; the same for an occurrence wherever it runs.
                  type: integer
                  minimum: 0
                  maximum: 3600
                  default: 0
                retries:
                  description: How often a run that failed is repeated, after 5 seconds, 10, 20, up to 5 minutes.
                  type: integer
                  minimum: 0
                  maximum: 10
                  default: 0
                deadline:
                  description: How many seconds a call of a webhook may take (10 unless told), or an attempt in code (60).
                  type: integer
                  minimum: 1
                  maximum: 86400
                paused:
                  description: Whether it is paused; what is not told stays as it is.
                  type: boolean
            JobRun:
              type: object
              additionalProperties: false
              required: [id, trigger, dueAt, state, occurrences, attempts, processed]
              properties:
                id:
                  description: The same for an occurrence wherever it runs.
                  type: string
                  format: uuid
                trigger: { type: string, enum: [schedule, hand] }
                dueAt: { type: string, format: date-time }
                state: { type: string, enum: [waiting, running, succeeded, failed, skipped] }
                occurrences:
                  description: For how many occurrences it stands, those that were missed or left out before it included.
                  type: integer
                attempts: { type: integer }
                startedAt: { type: string, format: date-time }
                endedAt: { type: string, format: date-time }
                processed:
                  description: How many activities were changed, campaigns made, or what code counts.
                  type: integer
                reason:
                  description: Why it was left out.
                  type: string
                  enum: [missed, overlap, paused]
                message: { type: string }
                answerStatus:
                  description: The HTTP status with which the receiver of a webhook answered.
                  type: integer
                campaign:
                  description: The campaign that it made.
                  type: string
                  format: uuid
            JobRunList:
              type: object
              additionalProperties: false
              required: [runs]
              properties:
                runs: { type: array, items: { $ref: "#/components/schemas/JobRun" } }
                next: { type: string }
            Job:
              description: A job as it is; of a `campaign` the `notification` is the copy.
              type: object
              additionalProperties: false
              required: [app, id, kind, schedule, overlap, misfire, jitter, retries, deadline, paused, createdAt, updatedAt]
              properties:
                app: { type: string }
                id: { type: string }
                kind: { type: string, enum: [notification, campaign, activities, webhook, code] }
                schedule: { $ref: "#/components/schemas/JobSchedule" }
                notification: { $ref: "#/components/schemas/JobNotification" }
                campaign: { type: string, format: uuid }
                activities: { $ref: "#/components/schemas/JobActivities" }
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
            DeliveryPause:
              description: Why nothing is sent in an environment with a credential before the next attempt.
              type: object
              additionalProperties: false
              required: [environment, credential, cause, reason, since, nextAttempt]
              properties:
                environment: { type: string, enum: [sandbox, production] }
                credential: { type: string }
                cause:
                  description: |
                    `credential`: APNs refuses it. `overload`: APNs answers too much with 429 and 5xx. `unreachable`: there is no
                    connection.
                  type: string
                  enum: [unreachable, credential, overload]
                reason: { type: string, description: "Apple's word for it, or what the connection came to." }
                since: { type: string, format: date-time }
                nextAttempt: { type: string, format: date-time, description: When a small part is sent to find out. }
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
                  description: |
                    How many outcomes there were in a second: within the last 10 seconds or since this process was asked before,
                    whichever is longer, and otherwise on average since the campaign began or was resumed last. Devices that were
                    cancelled or expired do not count. Absent until there were some.
                  type: number
                secondsLeft:
                  description: |
                    How long it will take at that rate; only while it runs, no group of time zones is still to come, and not all that
                    is left waits.
                  type: number
                waitingFor:
                  description: What stands in the way of sending, whichever process found out; absent while nothing does.
                  type: array
                  items: { $ref: "#/components/schemas/DeliveryPause" }
                deferredUntil:
                  description: |
                    When the next of what is left is sent, where APNs asked for all of it to be sent later (429, 5xx) or its answers
                    were lost; absent while anything can be sent, and within the last 5 seconds before.
                  type: string
                  format: date-time
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
                  description: The kinds that are posted, `job.called` among them; all unless given. One that does not exist is refused.
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

        """##
}
