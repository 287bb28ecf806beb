// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part9 = ##"""
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
                instants:
                  description: Named instants of the activity's data, to which transitions may be relative; `null` forgets one. At most 32.
                  type: object
                  additionalProperties: { type: [string, "null"], format: date-time }
            ActivityOrder:
              type: object
              additionalProperties: false
              required: [activity]
              properties:
                activity: { type: string, minLength: 1, maxLength: 128 }
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
                instants:
                  description: Named instants of the activity's data, to which transitions may be relative; `null` forgets one. At most 32.
                  type: object
                  additionalProperties: { type: [string, "null"], format: date-time }
            ActivityOrders:
              type: object
              additionalProperties: false
              required: [changes]
              properties:
                changes:
                  type: array
                  items: { $ref: "#/components/schemas/ActivityOrder" }
                  minItems: 1
                  maxItems: 10000
            ActivityTokenRequest:
              type: object
              additionalProperties: false
              required: [token]
              properties:
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment:
                  description: The service that the token belongs to; the app's default one unless given.
                  $ref: "#/components/schemas/Environment"
                issuedAt:
                  description: When ActivityKit gave the token; now unless given. A younger one stays.
                  type: string
                  format: date-time
                frequentUpdates:
                  description: Whether the person lets the app have frequent updates.
                  type: boolean
                attributesType: { type: string, maxLength: 128 }
                attributes:
                  description: What never changes.
                  type: object
                contentState:
                  description: The whole content state, as the app's type decodes it; sent byte for byte.
                  type: object
                alert:
                  description: What phones show and sound; in a new activity, when a push starts it.
                  $ref: "#/components/schemas/ActivityAlert"
                staleDate: { type: string, format: date-time }
                relevanceScore:
                  description: The app's activity with the highest one is shown first.
                  type: number
                priority:
                  description: 10 counts towards Apple's hourly budget, 5 does not.
                  type: integer
                  enum: [5, 10]
                  default: 10
                instants:
                  description: Named instants of the activity's data, to which transitions may be relative; `null` forgets one. At most 32.
                  type: object
                  additionalProperties: { type: [string, "null"], format: date-time }
            StartTokenRequest:
              type: object
              additionalProperties: false
              required: [token]
              properties:
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment:
                  description: The service that the token belongs to; the app's default one unless given.
                  $ref: "#/components/schemas/Environment"
                issuedAt:
                  description: When ActivityKit gave the token; now unless given. A younger one stays.
                  type: string
                  format: date-time
            ActivitySchema:
              description: |
                A JSON Schema (2020-12) of the part that `docs/live-activities.md` tells of; unknown keywords are refused. At most
                16 KiB. `"format": "swift-date"` is a Swift `Date`, and with `"adapt": true` beside it texts and times since 1970 are
                converted.
              type: object
            ActivityTypeRequest:
              type: object
              additionalProperties: false
              properties:
                contentState: { $ref: "#/components/schemas/ActivitySchema" }
                attributes: { $ref: "#/components/schemas/ActivitySchema" }
            ActivityType:
              type: object
              additionalProperties: false
              required: [app, name, createdAt, changedAt]
              properties:
                app: { type: string }
                name: { type: string }
                contentState: { $ref: "#/components/schemas/ActivitySchema" }
                attributes: { $ref: "#/components/schemas/ActivitySchema" }
                createdAt: { type: string, format: date-time }
                changedAt: { type: string, format: date-time }
            ActivityTypeList:
              type: object
              additionalProperties: false
              required: [types]
              properties:
                types: { type: array, items: { $ref: "#/components/schemas/ActivityType" } }
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
                createdAt: { type: string, format: date-time }
                startedAt: { type: string, format: date-time }
                expiresAt:
                  description: When the system has ended it on every phone.
                  type: string
                  format: date-time
                endedAt: { type: string, format: date-time }
                phones: { $ref: "#/components/schemas/ActivityPhones" }
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
              required: [installation, environment, state, startedBy, hasToken, sentVersion, recentPushes, joinedAt]
              properties:
                installation: { type: string }
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

        """##
}
