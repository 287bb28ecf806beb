// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part12 = ##"""
                  description: How many devices are left to be looked at, about; absent before they are counted.
                  type: integer
                createdAt: { type: string, format: date-time }
                endedAt: { type: string, format: date-time }
            RolloutPassedOver:
              description: The devices that were looked at and are not sent a start.
              type: object
              additionalProperties: false
              required: [withoutToken, takingPart, otherEnvironment]
              properties:
                withoutToken:
                  description: How many have told no token with which a push could start it.
                  type: integer
                takingPart:
                  description: How many took part already.
                  type: integer
                otherEnvironment:
                  description: How many could only subscribe to a channel of the other environment.
                  type: integer
            ActivityChannel:
              description: The channel on which an activity is broadcast.
              type: object
              additionalProperties: false
              required: [name, id, environment, messageStorage, delivery]
              properties:
                name: { type: string }
                id:
                  description: APNs' identifier, by which apps subscribe.
                  type: string
                environment: { $ref: "#/components/schemas/Environment" }
                messageStorage: { type: string, enum: [newest, none] }
                delivery: { type: string, enum: [automatic, devices, channel] }
            ActivityPhones:
              description: How many phones have come how far; only where that is asked for.
              type: object
              additionalProperties: false
              required: [invited, active, gone, behind]
              properties:
                invited: { type: integer }
                active: { type: integer }
                gone: { type: integer }
                behind:
                  description: How many of the active ones were not sent the newest version yet.
                  type: integer
            ActivityList:
              type: object
              additionalProperties: false
              required: [activities]
              properties:
                activities: { type: array, items: { $ref: "#/components/schemas/Activity" } }
                next: { type: string }
            Participant:
              type: object
              additionalProperties: false
              required: [environment, state, hasToken, sentVersion, recentPushes, joinedAt]
              properties:
                installation:
                  description: The phone; absent for the channel on which the activity is broadcast.
                  type: string
                channel:
                  description: The name of that channel; `gone` when APNs has it no more.
                  type: string
                environment: { $ref: "#/components/schemas/Environment" }
                state:
                  description: |
                    `invited`: its app has not told its update token yet. `gone`: it is sent nothing, for the `reason`.
                  type: string
                  enum: [invited, active, gone]
                reason: { type: string }
                startedBy: { type: string, enum: [app, push] }
                hasToken: { type: boolean }
                frequentUpdates: { type: boolean }
                sentVersion:
                  description: The version that it was sent last; below the activity's version it is behind.
                  type: integer
                recentPushes:
                  description: How many pushes of priority 10 it was sent within the last hour.
                  type: integer
                joinedAt: { type: string, format: date-time }
                startedAt: { type: string, format: date-time }
            ParticipantList:
              type: object
              additionalProperties: false
              required: [participants]
              properties:
                participants: { type: array, items: { $ref: "#/components/schemas/Participant" } }
                next: { type: string }
            TimelineSending:
              type: object
              additionalProperties: false
              required: [first, count]
              properties:
                notification: { type: string, format: uuid }
                first:
                  description: The `apns-id` of the first push; those of the others follow it.
                  type: string
                  format: uuid
                count: { type: integer }
                delivered: { type: integer }
                rejected: { type: object, additionalProperties: { type: integer } }
                failed: { type: object, additionalProperties: { type: integer } }
            ToldChange:
              description: What was changed, or is to change, as it was told.
              type: object
              additionalProperties: false
              required: [priority]
              properties:
                contentState: { type: object }
                patch: { type: object }
                alert: { $ref: "#/components/schemas/ActivityAlert" }
                staleDate:
                  description: When the content counts as out of date, or `never`.
                  type: string
                staleAfter: { type: integer }
                relevanceScore: { type: number }
                priority: { type: integer }
                budget: { $ref: "#/components/schemas/ActivityBudgetPolicy" }
                end: { $ref: "#/components/schemas/ActivityEnd" }
                omittedBytes:
                  description: |
                    How many bytes the content state and the alert have that are left out here, since they are long: a timeline keeps 1 KB
                    of each change.
                  type: integer
            TimelineEntry:
              type: object
              additionalProperties: false
              required: [sequence, time, kind, version, waiting, sent]
              properties:
                sequence: { type: integer }
                time: { type: string, format: date-time }
                kind:
                  description: What happened, such as `updated` or `token-arrived`.
                  type: string
                event:
                  description: The `event` of the pushes that tell phones of it; absent where there are none, or it may be any.
                  type: string
                  enum: [start, update, end]
                version: { type: integer }
                installation: { type: string }
                detail: { type: string }
                changes:
                  description: What was changed, in this order; of several that were carried out as one, as many as have room in 4 KB.
                  type: array
                  items: { $ref: "#/components/schemas/ToldChange" }
                waiting:
                  description: How many phones waited for something else first.
                  type: integer
                sent: { type: array, items: { $ref: "#/components/schemas/TimelineSending" } }
            Timeline:
              type: object
              additionalProperties: false
              required: [entries]
              properties:
                entries: { type: array, items: { $ref: "#/components/schemas/TimelineEntry" } }
                next: { type: string }
            TransitionRequest:
              type: object
              additionalProperties: false
              properties:
                at:
                  description: When it is to happen.
                  type: string
                  format: date-time
                instant:
                  description: The named instant to which it is relative.
                  type: string
                  maxLength: 64
                offset:
                  description: How many seconds after the instant it is to happen; a negative number is before it.
                  type: integer
                  minimum: -604800
                  maximum: 604800
                  default: 0
                misfire:
                  description: |
                    What becomes of it if nobody carried it out on time: it joins the next change, is left out, or is carried out late.
                  type: string
                  enum: [fold, skip, late]
                  default: fold
                lateWithin:
                  description: With `late`, how many seconds late it may be.
                  type: integer
                  minimum: 0
                  maximum: 43200
                contentState:
                  description: The whole content state, as the app's type decodes it; sent byte for byte.
                  type: object
                patch:
                  description: A merge patch (RFC 7396) of the content state.
                  type: object
                alert:
                  description: What phones show and sound; in a new activity, when a push starts it.
                  $ref: "#/components/schemas/ActivityAlert"
                staleDate:
                  description: When the content counts as out of date, or `never`.
                  type: string
                staleAfter:
                  description: In how many seconds the content counts as out of date.
                  type: integer
                  minimum: 0
                  maximum: 43200
                relevanceScore:
                  description: The app's activity with the highest one is shown first.
                  type: number
                priority:
                  description: 10 counts towards Apple's hourly budget, 5 does not.
                  type: integer
                  enum: [5, 10]
                  default: 10
                budget: { $ref: "#/components/schemas/ActivityBudgetPolicy" }
                end:
                  description: Ends the activity, with the content state as it is by then.
                  $ref: "#/components/schemas/ActivityEnd"
            Transition:
              type: object
              additionalProperties: false
              required: [id, state, misfire]
              properties:
                id: { type: string }
                state: { type: string, enum: [planned, done, skipped, withdrawn] }
                at: { type: string, format: date-time }
                instant: { type: string }
                offset: { type: integer }
                misfire: { type: string, enum: [fold, skip, late] }
                lateWithin: { type: integer }
                change: { $ref: "#/components/schemas/ToldChange" }
                dueAt:
                  description: When it is due; absent while the instant is not known.
                  type: string
                  format: date-time
                endedAt: { type: string, format: date-time }
            TransitionList:
              type: object
              additionalProperties: false
              required: [transitions]
              properties:
                transitions: { type: array, items: { $ref: "#/components/schemas/Transition" } }
            JobClockChanges:
              description: |
                What becomes of times that clocks skip or show twice, for daylight saving or another reason. Default: what suits the
                expression; `docs/cron.md` says which.
              type: object
              additionalProperties: false
              required: [skipped, repeated]
              properties:
                skipped: { type: string, enum: [afterwards, omitted] }
                repeated: { type: string, enum: [once, twice] }
            JobSchedule:
              description: Either `cron` with or without `timeZone` and `clockChanges`, or `every` with or without `from`.
              type: object
              additionalProperties: false
              properties:
                cron:
                  description: |
                    Five fields, six with the second in front, or a macro such as `@daily`.
                  type: string
                  maxLength: 256
                timeZone:
                  description: The IANA name of the zone whose clocks count.
                  type: string
                  default: UTC
                clockChanges: { $ref: "#/components/schemas/JobClockChanges" }
                every:
                  description: Seconds from one occurrence to the next, whatever clocks show.
                  type: integer
                  minimum: 1
                  maximum: 31622400
                from:
                  description: The first occurrence; 1970 unless told.
                  type: string
                  format: date-time
            JobLocalTime:
              description: |
                Each device receives it at that time of the day in its zone, on the first day on which no place on Earth has passed
                it when the run is due.
              type: object
              additionalProperties: false
              required: [time]
              properties:
                time: { type: string, examples: ["09:00"] }
                fallbackZone: { type: string, default: UTC }
                sendPassed: { type: boolean, default: true }
            JobNotification:
              type: object
              additionalProperties: false
              required: [audience, message]
              properties:
                name:
                  description: What people call the campaigns of the runs; the job's name unless told.
                  type: string
                  minLength: 1
                  maxLength: 256
                audience: { $ref: "#/components/schemas/Audience" }
                message: { $ref: "#/components/schemas/CampaignMessage" }
                throttle:
                  description: How many notifications are sent in a second at most.
                  type: integer
                  minimum: 1
                  maximum: 1000000
                expiresAfter:
                  description: How many seconds behind its beginning nothing more of a run is sent.
                  type: integer
                  minimum: 60
                  maximum: 2592000
                local: { $ref: "#/components/schemas/JobLocalTime" }
            JobInstant:
              description: |
                Activities whose instant of that name lies from `from` seconds behind the beginning of the run on, and before
                `until`; negative numbers are before the run.
              type: object
              additionalProperties: false
              required: [name, until]
              properties:
                name: { type: string, minLength: 1, maxLength: 64 }
                from: { type: integer, minimum: -2592000, maximum: 2592000, default: 0 }
                until: { type: integer, minimum: -2592000, maximum: 2592000 }
            JobActivityChange:
              description: What changes, as of `PATCH …/activities/{activity}`, but instants.
              type: object
              additionalProperties: false
              properties:
                contentState:
                  description: The whole content state, as the app's type decodes it; sent byte for byte.
                  type: object
                patch:
                  description: A merge patch (RFC 7396) of the content state.
                  type: object
                alert: { $ref: "#/components/schemas/ActivityAlert" }
                staleDate:
                  description: When the content counts as out of date, or `never`.
                  type: string
                staleAfter: { type: integer, minimum: 0, maximum: 43200 }
                relevanceScore: { type: number }
                priority: { type: integer, enum: [5, 10], default: 10 }
                budget: { $ref: "#/components/schemas/ActivityBudgetPolicy" }
                end: { $ref: "#/components/schemas/ActivityEnd" }
            JobActivities:
              description: |
                Changes the activities that fit. One whose content state the change would leave as it is, is passed over, with the
                alert and all else, unless the change ends it.
              type: object
              additionalProperties: false
              required: [attributesType, change]
              properties:
                attributesType: { type: string, minLength: 1, maxLength: 128 }
                state:
                  description: Only those that stand there; all that are not over unless told.
                  type: string
                  enum: [pending, active]
                instant: { $ref: "#/components/schemas/JobInstant" }

        """##
}
