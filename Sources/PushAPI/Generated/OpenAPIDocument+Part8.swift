// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part8 = ##"""
                  additionalProperties: { type: string }
                topics:
                  description: What the user subscribed to; at most 256.
                  type: array
                  items: { type: string, maxLength: 128 }
            DeviceLine:
              description: A device of a file. `app`, `createdAt`, `seenAt` and `status` are passed over.
              type: object
              additionalProperties: false
              required: [installation, token]
              properties:
                installation: { type: string, maxLength: 128 }
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment:
                  description: The service that the token belongs to; the app's default one unless given.
                  $ref: "#/components/schemas/Environment"
                platform:
                  description: The operating system; `ios`, `ipados`, `macos`, `tvos`, `watchos`, `visionos` are usual.
                  type: string
                  maxLength: 32
                appVersion: { type: string, maxLength: 64 }
                locale:
                  description: The user's locale (BCP 47), such as `ja-JP`.
                  type: string
                  maxLength: 64
                timeZone:
                  description: The IANA name of the time zone, such as `Asia/Tokyo`.
                  type: string
                  maxLength: 64
                userID:
                  description: The user who is signed in; `targets.users` finds the device by it.
                  type: string
                  maxLength: 256
                tags:
                  description: Free attributes; at most 64, names of 1 to 64 bytes, values of at most 256.
                  type: object
                  additionalProperties: { type: string }
                topics:
                  description: What the user subscribed to; at most 256.
                  type: array
                  items: { type: string, maxLength: 128 }
                registeredAt:
                  description: When the app registered it; nobody knows when, unless given.
                  type: string
                  format: date-time
                app: { type: string }
                createdAt: { type: string }
                seenAt: { type: string }
                status: { type: object }
            ImportLine:
              description: A line that an import answers; `type` says which members it has.
              type: object
              required: [type]
              properties:
                type: { type: string, enum: [progress, refused, end] }
                line: { type: integer }
                problem: { type: object }
                reason: { type: string }
                lines: { type: integer }
                imported: { type: integer }
                older: { type: integer }
                refused: { type: integer }
                dryRun: { type: boolean }
            DeviceStatus:
              type: object
              additionalProperties: false
              required: [state]
              properties:
                state:
                  description: |
                    `suspect`: APNs called the token bad, which mostly means the other environment; it is still sent to.
                    `invalid`: the app is gone; nothing is sent until it registers again.
                  type: string
                  enum: [active, suspect, invalid]
                reason:
                  description: The reason that APNs gave.
                  type: string
                since: { type: string, format: date-time }
            Device:
              type: object
              additionalProperties: false
              required: [app, installation, token, environment, tags, topics, createdAt, registeredAt, seenAt, status]
              properties:
                app: { type: string }
                installation: { type: string }
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment: { $ref: "#/components/schemas/Environment" }
                platform: { type: string }
                appVersion: { type: string }
                locale: { type: string }
                timeZone: { type: string }
                userID: { type: string }
                tags: { type: object, additionalProperties: { type: string } }
                topics: { type: array, items: { type: string } }
                createdAt: { type: string, format: date-time }
                registeredAt: { type: string, format: date-time }
                seenAt: { type: string, format: date-time }
                status: { $ref: "#/components/schemas/DeviceStatus" }
            DeviceList:
              type: object
              additionalProperties: false
              required: [devices]
              properties:
                devices: { type: array, items: { $ref: "#/components/schemas/Device" } }
                next: { type: string }

            NotificationRequest:
              description: To whom, what, and how. Exactly one of `payload` and `notification`.
              type: object
              additionalProperties: false
              required: [targets]
              properties:
                targets: { $ref: "#/components/schemas/Targets" }
                pushType:
                  description: Apple's push type; it also decides the topic's suffix. `alert` unless given.
                  type: string
                  enum:
                    - alert
                    - background
                    - voip
                    - complication
                    - fileprovider
                    - location
                    - liveactivity
                    - pushtotalk
                    - widgets
                    - controls
                    - mdm
                priority:
                  description: 10 at once, 5 with regard to the battery, 1 without waking the device. Apple's default is 10.
                  type: integer
                  enum: [1, 5, 10]
                expiration:
                  description: |
                    Until when APNs keeps it for a device that is offline, in seconds since 1970; 0 for a single attempt.
                    Unless given, Apple keeps it for up to 30 days.
                  type: integer
                  minimum: 0
                collapseID:
                  description: A later notification with the same id replaces this one on the screen; at most 64 bytes.
                  type: string
                lane:
                  description: |
                    The queue. `urgent` work never waits behind `bulk`. Unless given, up to 1000 targets are urgent.
                  type: string
                  enum: [urgent, bulk]
                payload:
                  description: The JSON object that devices receive, passed on byte for byte.
                  type: object
                notification: { $ref: "#/components/schemas/Alert" }
            TopicRequest:
              type: object
              additionalProperties: false
              properties:
                displayName:
                  description: What people call it, 1 to 100 bytes; left out, it has no such name.
                  type: string
                tags:
                  description: At most 50 labels, with keys of 1 to 128 characters and values of at most 256; left out, it has none.
                  type: object
                  additionalProperties: { type: string }
            Topic:
              type: object
              additionalProperties: false
              required: [name, tags, createdAt]
              properties:
                name: { type: string }
                displayName: { type: string }
                tags: { type: object, additionalProperties: { type: string } }
                createdAt: { type: string, format: date-time }
                subscriptions:
                  description: Absent in lists.
                  type: object
                  additionalProperties: false
                  required: [count]
                  properties:
                    count:
                      description: How many devices and users of the app are subscribed.
                      type: integer
            TopicList:
              type: object
              additionalProperties: false
              required: [topics]
              properties:
                topics: { type: array, items: { $ref: "#/components/schemas/Topic" } }
                next: { type: string }
            SubscriptionRequest:
              description: Exactly one of `device` and `user`.
              type: object
              additionalProperties: false
              properties:
                device:
                  description: The installation.
                  type: string
                user: { type: string }
                filter:
                  description: |
                    A filter policy, as Amazon SNS has them: for each name the values that are wanted, or rules for them. Names are
                    joined by "and", the rules of one name by "or". Left out, all is wanted. See docs/topics.md.
                  type: object
                filterScope:
                  description: What the filter looks at.
                  type: string
                  enum: [attributes, payload]
                  default: attributes
            Subscription:
              type: object
              additionalProperties: false
              required: [id, topic, createdAt]
              properties:
                id: { type: string, format: uuid }
                topic: { type: string }
                device: { type: string }
                user: { type: string }
                filter: { type: object }
                filterScope:
                  type: string
                  enum: [attributes, payload]
                createdAt: { type: string, format: date-time }
            SubscriptionList:
              type: object
              additionalProperties: false
              required: [subscriptions]
              properties:
                subscriptions: { type: array, items: { $ref: "#/components/schemas/Subscription" } }
                next: { type: string }
            PublicationRequest:
              description: What and how, and what filters look at. Exactly one of `payload` and `notification`.
              type: object
              additionalProperties: false
              properties:
                attributes:
                  description: |
                    What filters look at, at most 64: texts, numbers, or arrays of them. Names have 1 to 256 letters, digits, `-`, `_`
                    and `.`. Devices do not receive them.
                  type: object
                  additionalProperties: { type: [string, number, array] }
                pushType:
                  description: Apple's push type; it also decides the topic's suffix. `alert` unless given.
                  type: string
                  enum:
                    - alert
                    - background
                    - voip
                    - complication
                    - fileprovider
                    - location
                    - liveactivity
                    - pushtotalk
                    - widgets
                    - controls
                    - mdm
                priority:
                  description: 10 at once, 5 with regard to the battery, 1 without waking the device. Apple's default is 10.
                  type: integer
                  enum: [1, 5, 10]
                expiration:
                  description: |
                    Until when APNs keeps it for a device that is offline, in seconds since 1970; 0 for a single attempt.
                    Unless given, Apple keeps it for up to 30 days.
                  type: integer
                  minimum: 0
                collapseID:
                  description: A later notification with the same id replaces this one on the screen; at most 64 bytes.
                  type: string
                lane:
                  description: |
                    The queue of a notification; campaigns are `bulk`. Unless given, up to 1000 devices are urgent.
                  type: string
                  enum: [urgent, bulk]
                payload:
                  description: The JSON object that devices receive.
                  type: object
                notification: { $ref: "#/components/schemas/Alert" }
            Publication:
              description: What it came to; with neither `notification` nor `campaign`, nobody wants it.
              type: object
              additionalProperties: false
              required: [topic]
              properties:
                topic: { type: string }
                notification: { $ref: "#/components/schemas/Notification" }
                campaign: { $ref: "#/components/schemas/Campaign" }
            SingleNotification:
              description: To one token, what, and how. Exactly one of `payload` and `notification`.
              type: object
              additionalProperties: false
              required: [token]
              properties:
                id:
                  description: The caller's name for it, which comes back with its outcome; 1 to 128 bytes as written.
                  type: string
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment:
                  description: The token's environment; the app's default one unless given.
                  $ref: "#/components/schemas/Environment"
                pushType:
                  description: Apple's push type; it also decides the topic's suffix. `alert` unless given.
                  type: string
                  enum:
                    - alert
                    - background
                    - voip
                    - complication
                    - fileprovider
                    - location
                    - liveactivity
                    - pushtotalk
                    - widgets
                    - controls
                    - mdm
                priority:
                  description: 10 at once, 5 with regard to the battery, 1 without waking the device. Apple's default is 10.
                  type: integer
                  enum: [1, 5, 10]
                expiration:
                  description: |
                    Until when APNs keeps it for a device that is offline, in seconds since 1970; 0 for a single attempt.
                    Unless given, Apple keeps it for up to 30 days.
                  type: integer
                  minimum: 0
                collapseID:
                  description: A later notification with the same id replaces this one on the screen; at most 64 bytes.
                  type: string
                payload:
                  description: The JSON object that devices receive, passed on byte for byte.
                  type: object
                notification: { $ref: "#/components/schemas/Alert" }
            BatchRequest:
              type: object
              additionalProperties: false
              required: [notifications]
              properties:
                notifications:
                  type: array
                  minItems: 1
                  maxItems: 10000
                  items: { $ref: "#/components/schemas/SingleNotification" }
                lane:
                  description: The queue. Unless given, up to 1000 notifications are urgent.
                  type: string
                  enum: [urgent, bulk]
            StreamLine:
              description: A line that a stream answers; `type` says which members it has.
              type: object
              required: [type]
              properties:
                type: { type: string, enum: [resumed, accepted, refused, outcome, end] }
                accepted: { type: integer }
                through: { type: integer }

        """##
}
