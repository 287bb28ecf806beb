// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part7 = ##"""
                  description: The screening as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }

        components:
          securitySchemes:
            apiKey:
              type: http
              scheme: bearer
              bearerFormat: apus_<id>_<secret>
              description: |
                An API key. `x-scopes` of each operation lists the scopes of which the key needs one; `admin` includes all
                others. A key that is bound to an app may use the paths below that app and no others.
          headers:
            IdempotencyReplayed:
              description: "`true` when this is the answer to an earlier request with the same `Idempotency-Key`."
              schema: { type: boolean }
            Location:
              description: Where what was made can be looked at.
              schema: { type: string }
          parameters:
            App:
              name: app
              in: path
              required: true
              description: The bundle identifier of an app.
              schema: { type: string }
            Notification:
              name: notification
              in: path
              required: true
              description: The `id` from the answer to the request that sent it.
              schema: { type: string, format: uuid }
            Campaign:
              name: campaign
              in: path
              required: true
              description: The `id` from the answer to the request that created the campaign.
              schema: { type: string, format: uuid }
            Screening:
              name: screening
              in: path
              required: true
              description: The `id` from the answer to the request that created the screening.
              schema: { type: string, format: uuid }
            Activity:
              name: activity
              in: path
              required: true
              description: The name of the activity, percent-encoded; 1 to 128 bytes.
              schema: { type: string }
            Installation:
              name: installation
              in: path
              required: true
              description: An id that the app chose for its installation, such as a UUID; 1 to 128 bytes.
              schema: { type: string }
            Job:
              name: job
              in: path
              required: true
              description: The name of the job; 1 to 64 letters, digits, `-`, `_` and `.`.
              schema: { type: string }
            AttributesType:
              name: attributesType
              in: path
              required: true
              description: The name of the app's `ActivityAttributes` type, without its module.
              schema: { type: string }
            Channel:
              name: channel
              in: path
              required: true
              description: The name of the channel within its app; 1 to 128 bytes.
              schema: { type: string }
            Transition:
              name: transition
              in: path
              required: true
              description: The name of the transition within its activity; 1 to 64 bytes.
              schema: { type: string }
            Topic:
              name: topic
              in: path
              required: true
              description: |
                The name of the topic: 1 to 256 letters, digits, `-` and `_`, with or without `.fifo` behind them.
              schema: { type: string }
            Subscription:
              name: subscription
              in: path
              required: true
              description: The id of a subscription of the app.
              schema: { type: string, format: uuid }
            After:
              name: after
              in: query
              description: The `next` of the page before; leave it out for the first page.
              schema: { type: string }
            IdempotencyKey:
              name: Idempotency-Key
              in: header
              description: |
                The caller's name for the request, 1 to 255 bytes. Within 24 hours a repetition with the same key and body is
                not carried out again: it gets the first answer with `Idempotency-Replayed: true`, or with `wait` the outcomes.
                Another body with the same key is refused (`idempotency_key_reused`). Keys of different API keys are different.
                It is stored in the transaction that stores what was asked for: send it again, with the same key, after an
                answer that was lost or says that the store failed (503).
              schema: { type: string, maxLength: 255 }
            Wait:
              name: wait
              in: query
              description: |
                `true` waits for the outcomes, up to the server's limit (30 seconds unless configured otherwise). When that is
                over, the answer is 202, as without waiting; also where the store could not be read meanwhile. The outcomes may be ahead of the store by a moment; whoever asks the
                same server for the notification then is answered when the store has them, too.
              schema: { type: boolean, default: false }
            Limit:
              name: limit
              in: query
              description: How many elements a page has at most.
              schema: { type: integer, minimum: 1, maximum: 1000, default: 100 }
            Webhook:
              name: webhook
              in: path
              required: true
              description: The id of a webhook of the app.
              schema: { type: string }
          responses:
            Problem:
              description: The request was refused, or the server could not carry it out.
              headers:
                Retry-After:
                  description: Seconds after which a repetition has a chance.
                  schema: { type: integer }
              content:
                application/problem+json:
                  schema: { $ref: "#/components/schemas/Problem" }
          schemas:
            Environment:
              description: Which of Apple's two push services a token belongs to.
              type: string
              enum: [sandbox, production]
            DeviceToken:
              description: A device token in hexadecimal, two digits for each of its 1 to 100 bytes.
              type: string
              pattern: "^([0-9A-Fa-f]{2}){1,100}$"
            Scope:
              type: string
              enum: [send, devices, activities, client, campaigns, read, admin]

            Health:
              type: object
              additionalProperties: false
              required: [status]
              properties:
                status: { type: string, enum: [ok, ready] }

            AppRequest:
              type: object
              additionalProperties: false
              required: [id]
              properties:
                id:
                  description: The bundle identifier.
                  type: string
                  maxLength: 155
                name:
                  description: What people call it; the bundle identifier unless given.
                  type: string
                  maxLength: 256
                defaultEnvironment:
                  description: Assumed where a request names no environment; `production` unless given.
                  $ref: "#/components/schemas/Environment"
            App:
              type: object
              additionalProperties: false
              required: [id, name, defaultEnvironment, createdAt]
              properties:
                id: { type: string }
                name: { type: string }
                defaultEnvironment: { $ref: "#/components/schemas/Environment" }
                createdAt: { type: string, format: date-time }
            AppList:
              type: object
              additionalProperties: false
              required: [apps]
              properties:
                apps: { type: array, items: { $ref: "#/components/schemas/App" } }
                next: { type: string }

            CredentialRequest:
              description: |
                A `key` has `keyID`, `teamID` and one of `p8`, `file`. A `certificate` has one of `p12` (with `password`), `pem`,
                `file` (with `format`, and `passwordFile` where it has a password).
              type: object
              additionalProperties: false
              required: [kind]
              properties:
                kind: { type: string, enum: [key, certificate] }
                keyID:
                  description: Apple's id of the provider key.
                  type: string
                  pattern: "^[0-9A-Za-z]{10}$"
                teamID:
                  description: Apple's id of the team.
                  type: string
                  pattern: "^[0-9A-Za-z]{10}$"
                p8:
                  description: The content of the `.p8` file, line breaks included.
                  type: string
                  writeOnly: true
                p12:
                  description: The content of the `.p12` file in Base64.
                  type: string
                  contentEncoding: base64
                  writeOnly: true
                pem:
                  description: The certificate and its unencrypted private key.
                  type: string
                  writeOnly: true
                password:
                  description: The password of the `p12`; leaving it out means that there is none.
                  type: string
                  writeOnly: true
                file:
                  description: The absolute path of a file that the server can read.
                  type: string
                format:
                  description: What the `file` of a certificate is.
                  type: string
                  enum: [pem, pkcs12]
                passwordFile:
                  description: The absolute path of a file whose content is the password of the `file`.
                  type: string
                environments:
                  description: Where it may be used; both unless given.
                  type: array
                  minItems: 1
                  items: { $ref: "#/components/schemas/Environment" }
            Credential:
              type: object
              additionalProperties: false
              required: [id, app, kind, environments, storage, createdAt]
              properties:
                id: { type: string }
                app: { type: string }
                kind: { type: string, enum: [key, certificate] }
                keyID: { type: string }
                teamID: { type: string }
                format: { type: string, enum: [pem, pkcs12] }
                environments: { type: array, items: { $ref: "#/components/schemas/Environment" } }
                storage:
                  description: Whether the private part is in the store, sealed, or in a file.
                  type: string
                  enum: [sealed, file]
                file: { type: string }
                createdAt: { type: string, format: date-time }
            CredentialList:
              type: object
              additionalProperties: false
              required: [credentials]
              properties:
                credentials: { type: array, items: { $ref: "#/components/schemas/Credential" } }

            KeyRequest:
              type: object
              additionalProperties: false
              required: [name, scopes]
              properties:
                name:
                  description: What people call it.
                  type: string
                  minLength: 1
                  maxLength: 256
                scopes:
                  description: What it may do; `admin` includes all others.
                  type: array
                  minItems: 1
                  items: { $ref: "#/components/schemas/Scope" }
                app:
                  description: The only app that it may be used for; every app unless given.
                  type: string
                expiresAt:
                  description: From when on it is refused; never unless given.
                  type: string
                  format: date-time
                accessKey:
                  description: Whether it also signs requests to the SNS endpoint, by an access key id and a secret of its own.
                  type: boolean
            Key:
              type: object
              additionalProperties: false
              required: [id, name, scopes, createdAt]
              properties:
                id: { type: string }
                name: { type: string }
                scopes: { type: array, items: { $ref: "#/components/schemas/Scope" } }
                app: { type: string }
                createdAt: { type: string, format: date-time }
                expiresAt: { type: string, format: date-time }
                revokedAt: { type: string, format: date-time }
                key:
                  description: The whole key with its secret; only in the answer to the request that made it.
                  type: string
                accessKeyID:
                  description: By what requests to the SNS endpoint name the key; only of keys that sign them.
                  type: string
                secretAccessKey:
                  description: What signs these requests; only in the answer to the request that made it.
                  type: string
            KeyList:
              type: object
              additionalProperties: false
              required: [keys]
              properties:
                keys: { type: array, items: { $ref: "#/components/schemas/Key" } }
                next: { type: string }

            DeviceRequest:
              type: object
              additionalProperties: false
              required: [token]
              properties:
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

        """##
}
