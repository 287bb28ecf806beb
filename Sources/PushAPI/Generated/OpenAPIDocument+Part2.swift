// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part2 = ##"""
              summary: One device, with what APNs said of it.
              x-scopes: [devices, read]
              responses:
                "200":
                  description: The device.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Device" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: removeDevice
              tags: [devices]
              summary: Forgets a device.
              x-scopes: [devices]
              responses:
                "204":
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
                - name: wait
                  in: query
                  description: |
                    `true` waits for the outcomes, up to the server's limit (30 seconds unless configured otherwise). When
                    that is over, the answer is 202, as without waiting.
                  schema: { type: boolean, default: false }
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
          /v1/apps/{app}/notifications/{notification}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Notification" }
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
          /v1/apps/{app}/notifications/{notification}/failures:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Notification" }
            get:
              operationId: listFailures
              tags: [notifications]
              summary: The targets of a notification that were not delivered, for whatever reason.
              description: |
                Unlike the `failures` of the notification it also lists what was not sent to because a batch expired, failed or was
                cancelled before, as soon as that is so.
              x-scopes: [send, read]
              parameters:
                - name: reason
                  in: query
                  description: Only those with this reason of Apple's, such as `TooManyRequests`, or this `code` of ours.
                  schema: { type: string }
                - name: retryable
                  in: query
                  description: |
                    `true`: only those that may succeed another time, since neither the token nor the request was at fault;
                    `false`: only the others.
                  schema: { type: boolean }
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of failures in the order of the request.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/FailureList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/notifications/{notification}:resend:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Notification" }
            post:
              operationId: resendNotification
              tags: [notifications]
              summary: Sends a notification again to those of its targets that failed through no fault of their own.
              description: |
                That makes a new notification, under new `apns-id`s, with `resendOf` naming the old one. Sent again are the targets
                that `failures?retryable=true` lists: no answer, expired, no or a refused credential, 429, 5xx. Everything else of
                the notification stays as it was. It is refused while the old one is not final, and a second time: what failed of
                the new one can be sent again in its turn.
              x-scopes: [send]
              requestBody:
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ResendRequest" }
              responses:
                "202":
                  description: It is stored and will be sent; look at `Location` for what became of it.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
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

          /v1/apps/{app}/delivery:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: showDelivery
              tags: [notifications]
              summary: Whether an app's notifications are being sent, why not, and what waits.
              description: |
                `lines` is what the process that answers knows of the environments and credentials that it has tried; other
                processes that deliver find out for themselves. `waiting` is the same whoever answers.
              x-scopes: [read]
              responses:
                "200":
                  description: Its standing.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Delivery" }
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
            After:
              name: after
              in: query
              description: The `next` of the page before; leave it out for the first page.
              schema: { type: string }
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
              required: [id, app, kind, environments, storage, createdAt]
              properties:
                id: { type: string }
                app: { type: string }

        """##
}
