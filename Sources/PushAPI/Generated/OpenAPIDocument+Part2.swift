// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part2 = ##"""
                  description: It is gone.
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps/{app}/notifications:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: send
              tags: [notifications]
              summary: Sends a notification to up to 100,000 targets.
              description: |
                When the answer arrives, the notification is stored durably and will be sent, even if the server is killed
                right after. A target that is resent after a crash carries the same `apns-id`. If anything in the request is
                wrong, nothing is stored and nothing is sent.

                Devices and users that cannot be reached are passed over and listed in `skipped`; if nobody is left, the
                request is refused (`no_targets`).
              x-scopes: [send]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/NotificationRequest" }
                    examples:
                      devices:
                        summary: A text to two registered devices
                        value:
                          targets: { devices: [phone, tablet] }
                          notification: { title: Delivery, body: Your parcel is at the door. }
                      tokens:
                        summary: A payload of one's own to tokens that the caller keeps
                        value:
                          targets:
                            environment: sandbox
                            tokens: [740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad]
                          priority: 10
                          expiration: 0
                          payload: { aps: { alert: Hello }, order: 17 }
              responses:
                "200":
                  description: |
                    It was waited for, and every target has its outcome. Up to 1000 targets all are in `outcomes`; with more,
                    `failures` begins the list of those that were not delivered.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Notification" }
                "202":
                  description: It is stored and will be sent; look at `Location` for what became of it.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Notification" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/notifications:batch:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: sendBatch
              tags: [notifications]
              summary: Sends up to 10,000 notifications, each to one token with a payload of its own.
              description: |
                All or nothing: if anything in the request is wrong, nothing is stored, and the problem names each fault with
                the index of its notification. What arrives with the answer is stored durably, as for `send`. For more than
                one request of this kind a stream is faster.
              x-scopes: [send]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/BatchRequest" }
                    examples:
                      two:
                        summary: Two notifications
                        value:
                          notifications:
                            - id: order-17
                              token: 740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad
                              notification: { title: Delivery, body: Your parcel is at the door. }
                            - token: 86b03a5d1e0c62ab4b7d1f2e3948a7c5d6f708192a3b4c5d6e7f8091a2b3c4d5
                              environment: sandbox
                              pushType: background
                              payload: { aps: { content-available: 1 } }
              responses:
                "200":
                  description: It was waited for; `outcomes` has one for each notification, in the order of the request.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Notification" }
                "202":
                  description: It is stored and will be sent; look at `Location` for what became of it.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Notification" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/notifications:stream:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: stream
              tags: [notifications]
              summary: Sends notifications line by line, and answers outcomes line by line, on one long request.
              description: |
                Each line of the body is one notification in JSON. The answer begins while the body is still sent: read both
                ways at the same time. A line is acknowledged once it is stored durably; a line that is wrong is refused alone.
                With a name the stream can be gone on with after a connection broke. `docs/streams.md` says all of it.
              x-scopes: [send]
              parameters:
                - name: stream
                  in: query
                  description: The caller's name for the stream, 1 to 128 bytes; it is remembered for 24 hours.
                  schema: { type: string, maxLength: 128 }
                - name: from
                  in: query
                  description: The number of the first line of this request; lines that were accepted before are passed over.
                  schema: { type: integer, minimum: 1, default: 1 }
                - name: outcomesAfter
                  in: query
                  description: Tells the outcomes of the accepted lines after this one again, and those that come yet.
                  schema: { type: integer, minimum: 0 }
              requestBody:
                required: true
                content:
                  application/x-ndjson:
                    schema: { $ref: "#/components/schemas/SingleNotification" }
              responses:
                "200":
                  description: The stream is open. Lines follow as there is something to tell; the last one is of type `end`.
                  content:
                    application/x-ndjson:
                      schema: { $ref: "#/components/schemas/StreamLine" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/notifications/{notification}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - name: notification
                in: path
                required: true
                description: The `id` from the answer to the request that sent it.
                schema: { type: string, format: uuid }
            get:
              operationId: showNotification
              tags: [notifications]
              summary: How far a notification has come, with a page of the targets that were not delivered.
              x-scopes: [send, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: Its standing.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Notification" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/notifications/by-apns-id/{apns-id}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - name: apns-id
                in: path
                required: true
                description: The `apns-id` of one target.
                schema: { type: string, format: uuid }
            get:
              operationId: showOutcome
              tags: [notifications]
              summary: What became of one target.
              x-scopes: [send, read]
              responses:
                "200":
                  description: Its outcome.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/OutcomeWithNotification" }
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
              schema: { type: string, maxLength: 255 }
            Wait:
              name: wait
              in: query
              description: |
                `true` waits for the outcomes, up to the server's limit (30 seconds unless configured otherwise). When that is
                over, the answer is 202, as without waiting.
              schema: { type: boolean, default: false }
            Limit:
              name: limit
              in: query
              description: How many elements a page has at most.
              schema: { type: integer, minimum: 1, maximum: 1000, default: 100 }
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
              enum: [send, devices, activities, campaigns, read, admin]

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

        """##
}
