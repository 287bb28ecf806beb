// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part11 = ##"""
                  type: string
                  enum: [newest, none]
                state:
                  description: |
                    `creating` while APNs is asked to make it, or when its answer was lost; `active`; `deleting` while APNs is asked to
                    delete it, or when its answer was lost.
                  type: string
                  enum: [creating, active, deleting]
                createdAt: { type: string, format: date-time }
                isAtAPNs:
                  description: Whether APNs has it; absent when APNs was not asked, or the identifier is not known.
                  type: boolean
            ChannelList:
              type: object
              additionalProperties: false
              required: [environment, channels]
              properties:
                environment:
                  type: string
                  enum: [sandbox, production]
                channels: { type: array, items: { $ref: "#/components/schemas/Channel" } }
                unknown:
                  description: The identifiers of channels that APNs has, and nobody here knows; absent when APNs could not be asked.
                  type: array
                  items: { type: string }
                trouble:
                  description: Why APNs could not be asked; absent when it could.
                  type: object
                  additionalProperties: false
                  required: [code, detail]
                  properties:
                    code:
                      description: The code of the problem.
                      type: string
                    detail: { type: string }
            ActivityWarning:
              type: object
              additionalProperties: false
              required: [field, message]
              properties:
                field:
                  description: Where it stands in the request.
                  type: string
                message: { type: string }
            ActivityReceipt:
              type: object
              additionalProperties: false
              required: [activity, version, state, sent, waiting]
              properties:
                activity: { type: string }
                version:
                  description: How often what phones show was changed; 1 is what it began with.
                  type: integer
                state: { $ref: "#/components/schemas/ActivityState" }
                sent:
                  description: How many phones are sent something by this.
                  type: integer
                waiting:
                  description: How many phones wait for something else first; they are sent the newest state then.
                  type: integer
                notification:
                  description: The notification under which the outcomes are found.
                  type: string
                  format: uuid
                unreachable:
                  description: The devices on which no push can start the activity.
                  type: array
                  items: { type: string }
                warnings:
                  description: |
                    What may not come to what is meant: numbers that look like dates counted from 1970, where no schema says what they
                    are. Of many changes the first 10 are looked at.
                  type: array
                  items: { $ref: "#/components/schemas/ActivityWarning" }
                budget: { $ref: "#/components/schemas/ActivityBudget" }
                dryRun:
                  description: That nothing was changed, since that was asked for.
                  type: boolean
                outcome: { $ref: "#/components/schemas/Notification" }
            ActivityBudget:
              description: What the pushes of priority 10 of a change cost phones of their budgets; only where there are any.
              type: object
              additionalProperties: false
              required: [pushes, over, lowered, used, remaining]
              properties:
                pushes:
                  description: How many pushes of priority 10 it takes.
                  type: integer
                over:
                  description: How many phones have no room for one.
                  type: integer
                lowered:
                  description: How many of these are sent one of priority 5 instead.
                  type: integer
                used:
                  description: The most pushes of priority 10 that one of the phones was sent within the last hour, before this.
                  type: integer
                remaining:
                  description: The fewest that one of the phones may be sent within this hour behind this.
                  type: integer
                roomAt:
                  description: When the last of those without room has some again.
                  type: string
                  format: date-time
            ActivityBudgetPolicy:
              description: |
                What becomes of a push of priority 10 to a phone that was sent as many within the last hour as are configured: it is sent,
                and the answer tells of it; it is sent with priority 5; or the whole change is refused (`activity_over_budget`).
              type: string
              enum: [warn, lower, refuse]
              default: warn
            ActivityState:
              description: |
                `pending`: no phone shows it, as far as is known. `expired`: the system ended it on every phone after 8 hours.
              type: string
              enum: [pending, active, ended, expired]
            ActivityResult:
              type: object
              additionalProperties: false
              required: [activity]
              properties:
                activity: { type: string }
                receipt: { $ref: "#/components/schemas/ActivityReceipt" }
                code:
                  description: |
                    Why the change was refused: the code of a problem.
                  type: string
                detail: { type: string }
                errors:
                  description: The faults of the content, where it breaks the schema of its type.
                  type: array
                  items: { $ref: "#/components/schemas/Fault" }
            ActivityResults:
              type: object
              additionalProperties: false
              required: [results, changed]
              properties:
                results: { type: array, items: { $ref: "#/components/schemas/ActivityResult" } }
                changed:
                  description: How many changes were carried out.
                  type: integer
                dryRun:
                  description: That nothing was changed, since that was asked for.
                  type: boolean
                outcome: { $ref: "#/components/schemas/Notification" }
            Activity:
              type: object
              additionalProperties: false
              required: [app, id, attributesType, state, version, timestamp, priority, instants, createdAt]
              properties:
                app: { type: string }
                id: { type: string }
                attributesType: { type: string }
                attributes: { type: object }
                contentState: { type: object }
                state: { $ref: "#/components/schemas/ActivityState" }
                version: { type: integer }
                timestamp:
                  description: The `timestamp` of the newest content, in seconds since 1970.
                  type: integer
                priority: { type: integer }
                staleDate: { type: string, format: date-time }
                relevanceScore: { type: number }
                instants:
                  description: Its named instants.
                  type: object
                  additionalProperties: { type: string, format: date-time }
                channel: { $ref: "#/components/schemas/ActivityChannel" }
                createdAt: { type: string, format: date-time }
                startedAt: { type: string, format: date-time }
                expiresAt:
                  description: When the system has ended it on every phone.
                  type: string
                  format: date-time
                endedAt: { type: string, format: date-time }
                phones: { $ref: "#/components/schemas/ActivityPhones" }
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
                version: { type: integer }
                installation: { type: string }
                detail: { type: string }
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

        """##
}
