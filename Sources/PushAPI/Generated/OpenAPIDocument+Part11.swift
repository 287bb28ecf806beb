// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part11 = ##"""
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
                channels:
                  description: Whether the phone can subscribe to broadcast channels; it can from iOS 18 on.
                  type: boolean
                  default: false
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
            ChannelRequest:
              type: object
              additionalProperties: false
              required: [name]
              properties:
                name:
                  description: The channel's name; 1 to 128 bytes, unique within the app in all environments.
                  type: string
                environment:
                  description: The environment; the app's default unless given.
                  type: string
                  enum: [sandbox, production]
                messageStorage:
                  description: |
                    What the channel keeps for phones that are offline: the `newest` message, for at most 8 hours, or `none`, for which
                    Apple allows more pushes.
                  type: string
                  enum: [newest, none]
                  default: newest
                id:
                  description: APNs' identifier of a channel that it has already, which is given the name.
                  type: string
                  minLength: 1
                  maxLength: 100
            Channel:
              type: object
              additionalProperties: false
              required: [app, name, environment, messageStorage, state, createdAt]
              properties:
                app: { type: string }
                name: { type: string }
                id:
                  description: APNs' identifier, by which phones subscribe; absent while the channel is `creating`.
                  type: string
                environment:
                  type: string
                  enum: [sandbox, production]
                messageStorage:
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
                takingPart:
                  description: |
                    How many of the devices that were named take part already, as far as is known, and are not sent another start:
                    their apps told a token, or an earlier start went to them. Left out where there are none.
                  type: integer
                rollout: { $ref: "#/components/schemas/ActivityRollout" }
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
                audience:
                  description: |
                    How many devices the topic or the audience has on which it would be started; only with `dryRun`. Those without a start
                    token are counted, too.
                  type: integer
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
                rollouts:
                  description: |
                    How far it is started on the devices of topics and audiences: all that run, and the last 20 that have ended, the
                    latest last. Only where one activity is asked for.
                  type: array
                  items: { $ref: "#/components/schemas/ActivityRollout" }
            ActivityRollout:
              description: How far an activity is started on the devices of a topic or an audience.
              type: object
              additionalProperties: false
              required: [id, audience, state, invited, passedOver, createdAt]
              properties:
                id:
                  description: The rollout, and the notification under which the outcomes of its starts are found.
                  type: string
                  format: uuid
                audience: { $ref: "#/components/schemas/Audience" }
                throttle:
                  description: How many devices are sent to in a second at most.
                  type: integer
                state:
                  description: |
                    `running`: devices are left. `done`: all were looked at. `stopped`: those that are left are not sent to, for the
                    `reason`.
                  type: string
                  enum: [running, done, stopped]
                reason:
                  description: "Why it was stopped: `ended`, `expired`, or what failed."
                  type: string
                expected:
                  description: How many devices the audience has; absent before they are counted.
                  type: integer
                invited:
                  description: How many devices are sent a start.
                  type: integer
                passedOver: { $ref: "#/components/schemas/RolloutPassedOver" }
                remaining:

        """##
}
