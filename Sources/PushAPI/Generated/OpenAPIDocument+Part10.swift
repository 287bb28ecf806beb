// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part10 = ##"""
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
                paused: { type: boolean, description: Whether it was created paused; absent where it was not. }
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
                waitingFor:
                  description: What stands in the way of sending; absent while nothing does.
                  type: array
                  items: { $ref: "#/components/schemas/DeliveryPause" }
                deferredUntil:
                  description: |
                    When the next of what is left of this phase is sent, where APNs asked for all of it to be sent later (429, 5xx)
                    or its answers were lost; absent while anything can be sent, and within the last 5 seconds before.
                  type: string
                  format: date-time
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
            ActivityAlertText:
              type: object
              additionalProperties: false
              required: [key]
              properties:
                key:
                  description: A key of the app's `Localizable.strings`.
                  type: string
                  minLength: 1
                  maxLength: 256
                arguments: { type: array, items: { type: string } }
            ActivityAlert:
              type: object
              additionalProperties: false
              required: [title, body]
              properties:
                title:
                  oneOf:
                    - { type: string }
                    - { $ref: "#/components/schemas/ActivityAlertText" }
                body:
                  oneOf:
                    - { type: string }
                    - { $ref: "#/components/schemas/ActivityAlertText" }
                sound:
                  description: A sound file of the app's, or `default`.
                  type: string
                  minLength: 1
                  maxLength: 256
            ActivityEnd:
              type: object
              additionalProperties: false
              properties:
                dismissal:
                  description: |
                    When the activity leaves the Lock Screen: within 4 hours as the system likes, or at once.
                  type: string
                  enum: [standard, immediate]
                  default: standard
                at:
                  description: |
                    The activity leaves the Lock Screen then: at most 4 hours after its end, since the system takes it off by then.
                  type: string
                  format: date-time
                after:
                  description: The activity leaves the Lock Screen so many seconds after its end.
                  type: integer
                  minimum: 0
                  maximum: 14400
            ActivityRequest:
              type: object
              additionalProperties: false
              required: [id, attributesType]
              properties:
                id: { type: string, minLength: 1, maxLength: 128 }
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
                transitions:
                  description: What is planned of it by name, stored with it or not at all. At most 100.
                  type: object
                  additionalProperties: { $ref: "#/components/schemas/TransitionRequest" }
                channel:
                  description: |
                    The name of a channel. Changes and the end of the activity are broadcast on it, and go to the phones beside that
                    told a token for the activity; see docs/broadcast.md.
                  type: string
                delivery:
                  description: |
                    How phones on which a push starts the activity get what changes. `automatic`: those subscribe to the channel that
                    can, as their `start-tokens` say, and the others tell a token. `devices`: they all tell a token. `channel`: they all
                    subscribe, and those of the other environment are `unreachable`.
                  type: string
                  enum: [automatic, devices, channel]
                  default: automatic
                devices:
                  type: array
                  items: { type: string }
                  minItems: 1
                  maxItems: 10000
                users:
                  type: array
                  items: { type: string }
                  minItems: 1
                  maxItems: 10000
                topic:
                  description: |
                    It is started on all devices that are subscribed to this topic, from now on and part by part; `rollout` says how far
                    that has come. Beside `devices` or `users`, or alone; never with `wait`.
                  type: string
                  minLength: 1
                  maxLength: 128
                audience:
                  description: As `topic`, for the devices of an audience.
                  $ref: "#/components/schemas/Audience"
                throttle:
                  description: How many devices of the topic or the audience are sent to in a second at most.
                  type: integer
                  minimum: 1
                  maximum: 1000000
            ActivityInvitation:
              type: object
              additionalProperties: false
              properties:
                devices:
                  type: array
                  items: { type: string }
                  minItems: 1
                  maxItems: 10000
                users:
                  type: array
                  items: { type: string }
                  minItems: 1
                  maxItems: 10000
                topic:
                  description: |
                    It is started on all devices that are subscribed to this topic, from now on and part by part; `rollout` says how far
                    that has come. Beside `devices` or `users`, or alone; never with `wait`.
                  type: string
                  minLength: 1
                  maxLength: 128
                audience:
                  description: As `topic`, for the devices of an audience.
                  $ref: "#/components/schemas/Audience"
                throttle:
                  description: How many devices of the topic or the audience are sent to in a second at most.
                  type: integer
                  minimum: 1
                  maximum: 1000000
            ActivityChange:
              type: object
              additionalProperties: false
              properties:
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

        """##
}
