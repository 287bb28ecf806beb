// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

/// The API's own description, as it is served at `/openapi.yaml`.
enum OpenAPIDocument {
    /// The document (OpenAPI 3.1).
    static let yaml = ##"""
        openapi: 3.1.0
        info:
          title: Apus
          version: "1"
          summary: A self-hosted push server for Apple devices.
          description: |
            Register devices, send notifications through APNs, and learn what became of each.

            Bodies are JSON in UTF-8 and are read strictly: an unknown member is an error, a member that is `null` counts as
            absent. Times are ISO 8601 in UTC. Lists are cut into pages: pass the `next` of one answer as `after` of the next
            request; the last page has no `next`. Every refusal is a problem (RFC 9457) with a stable `code`, explained at the
            path in its `type`; every answer carries `X-Request-ID`, under which the server's log knows the request.
          license:
            name: Apache-2.0
            identifier: Apache-2.0
        servers:
          - url: http://127.0.0.1:8080
        security:
          - apiKey: []
        tags:
          - name: apps
            description: The apps to whose devices notifications are sent.
          - name: credentials
            description: What authenticates an app's notifications towards APNs.
          - name: keys
            description: Who may use this API, and for what.
          - name: devices
            description: The installations of an app, their tokens, and what APNs said of them.
          - name: notifications
            description: Sending, and what became of it.
          - name: server
            description: Probes and documents; no key is needed.

        paths:
          /healthz:
            get:
              operationId: isAlive
              tags: [server]
              summary: Whether the process answers at all.
              security: []
              responses:
                "200":
                  description: It does.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Health" }
          /readyz:
            get:
              operationId: isReady
              tags: [server]
              summary: Whether the store can be read.
              security: []
              responses:
                "200":
                  description: It can.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Health" }
                default: { $ref: "#/components/responses/Problem" }
          /openapi.yaml:
            get:
              operationId: showDocument
              tags: [server]
              summary: This document.
              security: []
              responses:
                "200":
                  description: The document.
                  content:
                    application/yaml:
                      schema: { type: string }
          /problems/{code}:
            parameters:
              - name: code
                in: path
                required: true
                description: The `code` of a problem.
                schema: { type: string }
            get:
              operationId: explainProblem
              tags: [server]
              summary: What a problem means, and what to do about it.
              security: []
              responses:
                "200":
                  description: The explanation, for people.
                  content:
                    text/markdown:
                      schema: { type: string }
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps:
            post:
              operationId: createApp
              tags: [apps]
              summary: Creates an app.
              x-scopes: [admin]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/AppRequest" }
              responses:
                "201":
                  description: The app was created.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/App" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listApps
              tags: [apps]
              summary: The apps in the order of their ids.
              x-scopes: [read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of apps.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/AppList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: showApp
              tags: [apps]
              summary: One app.
              x-scopes: [read]
              responses:
                "200":
                  description: The app.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/App" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: deleteApp
              tags: [apps]
              summary: Deletes an app with its credentials, devices, notifications and the keys that are bound to it.
              x-scopes: [admin]
              responses:
                "204":
                  description: It is gone.
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps/{app}/credentials:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: addCredential
              tags: [credentials]
              summary: Adds a provider key or a certificate, after looking whether it is one.
              description: |
                A private key that is sent inline is sealed with the server's master key before it is stored, and never shown
                again. With `file` the server only remembers the path, and reads the file whenever it connects to APNs. Of
                several credentials that fit, the youngest is used.
              x-scopes: [admin]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/CredentialRequest" }
                    examples:
                      key:
                        summary: A provider key, sent inline
                        value:
                          kind: key
                          keyID: ABCDE12345
                          teamID: FGHIJ67890
                          p8: "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"
                      certificate:
                        summary: A certificate in a file of the server
                        value:
                          kind: certificate
                          format: pkcs12
                          file: /etc/apus/push.p12
                          passwordFile: /etc/apus/push.password
                          environments: [production]
              responses:
                "201":
                  description: The credential was added.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Credential" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listCredentials
              tags: [credentials]
              summary: The credentials of an app, the youngest first, without their private parts.
              x-scopes: [admin]
              responses:
                "200":
                  description: The credentials.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/CredentialList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/credentials/{credential}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - name: credential
                in: path
                required: true
                description: The id of a credential of the app.
                schema: { type: string }
            delete:
              operationId: removeCredential
              tags: [credentials]
              summary: Removes a credential.
              x-scopes: [admin]
              responses:
                "204":
                  description: It is gone.
                default: { $ref: "#/components/responses/Problem" }

          /v1/keys:
            post:
              operationId: createKey
              tags: [keys]
              summary: Makes an API key. Its secret is in this answer and nowhere else.
              x-scopes: [admin]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/KeyRequest" }
                    examples:
                      sender:
                        summary: A key by which one app's backend sends and registers
                        value: { name: backend, scopes: [send, devices], app: com.example.app }
              responses:
                "201":
                  description: The key was made; `key` is what to send as the bearer token.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Key" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listKeys
              tags: [keys]
              summary: The API keys in the order of their ids, expired and revoked ones included, without their secrets.
              x-scopes: [admin]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of keys.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/KeyList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/keys/{key}:
            parameters:
              - name: key
                in: path
                required: true
                description: The id of an API key.
                schema: { type: string }
            delete:
              operationId: revokeKey
              tags: [keys]
              summary: Revokes an API key for good; every process of the server refuses it within a second.
              x-scopes: [admin]
              responses:
                "204":
                  description: It is revoked.
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps/{app}/devices:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: listDevices
              tags: [devices]
              summary: The devices of an app in the order of their first registration.
              x-scopes: [devices, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of devices.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/DeviceList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/devices/{installation}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - name: installation
                in: path
                required: true
                description: An id that the app chose for its installation, such as a UUID; 1 to 128 bytes.
                schema: { type: string }
            put:
              operationId: registerDevice
              tags: [devices]
              summary: Registers an installation, or takes its latest word.
              description: |
                Call it at every start of the app. The device becomes active, whatever APNs said of it before, and what the
                request says replaces what was said before. A token that another installation of the app held moves to this one,
                and the other one is removed.
              x-scopes: [devices]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/DeviceRequest" }
              responses:
                "200":
                  description: The device was known and has been updated.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Device" }
                "201":
                  description: The device is new.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Device" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: showDevice
              tags: [devices]
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
                  additionalProperties: { type: string }
                topics:
                  description: What the user subscribed to; at most 256.
                  type: array
                  items: { type: string, maxLength: 128 }
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
            Targets:
              description: Exactly one of `tokens`, `devices`, `users`; at most 100,000 elements.
              type: object
              additionalProperties: false
              properties:
                tokens:
                  description: Tokens that the caller keeps.
                  type: array
                  minItems: 1
                  maxItems: 100000
                  items: { $ref: "#/components/schemas/DeviceToken" }
                environment:
                  description: The service that the `tokens` belong to; the app's default one unless given.
                  $ref: "#/components/schemas/Environment"
                devices:
                  description: Installation ids of registered devices.
                  type: array
                  minItems: 1
                  maxItems: 100000
                  items: { type: string }
                users:
                  description: User ids; each stands for all devices that were registered with it.
                  type: array
                  minItems: 1
                  maxItems: 100000
                  items: { type: string }
            Alert:
              description: The usual parts of a notification; the server writes Apple's `aps` from it.
              type: object
              additionalProperties: false
              properties:
                title: { type: string }
                subtitle: { type: string }
                body: { type: string }
                badge:
                  description: The number on the app's icon; 0 removes it.
                  type: integer
                  minimum: 0
                sound:
                  description: The name of a sound file in the app, or `default`.
                  type: string
                threadID: { type: string }
                category: { type: string }
                contentAvailable: { type: boolean }
                mutableContent: { type: boolean }
                targetContentID: { type: string }
                interruptionLevel: { type: string, enum: [passive, active, time-sensitive, critical] }
                relevanceScore: { type: number, minimum: 0, maximum: 1 }
                filterCriteria: { type: string }
                data:
                  description: The app's own keys, which stand beside `aps`.
                  type: object
            Counts:
              type: object
              additionalProperties: false
              required: [delivered, rejected, failed]
              properties:
                delivered:
                  description: How many APNs accepted.
                  type: integer
                rejected:
                  description: How many APNs refused, by its reason.
                  type: object
                  additionalProperties: { type: integer }
                failed:
                  description: How many had no answer from APNs, by our code.
                  type: object
                  additionalProperties: { type: integer }
            Skipped:
              description: Who was named and not sent to, since nothing is registered or it is gone; the first 100 of each.
              type: object
              additionalProperties: false
              required: [count]
              properties:
                count: { type: integer }
                devices: { type: array, items: { type: string } }
                users: { type: array, items: { type: string } }
            Outcome:
              type: object
              additionalProperties: false
              required: [index, apnsID, token, environment, state]
              properties:
                index:
                  description: The place of the target in the request, from 0; devices and users that were skipped do not count.
                  type: integer
                apnsID: { type: string, format: uuid }
                token: { $ref: "#/components/schemas/DeviceToken" }
                environment: { $ref: "#/components/schemas/Environment" }
                device:
                  description: The installation, where the request named it; only in the answer to that request.
                  type: string
                user:
                  description: The user, where the request named them; only in the answer to that request.
                  type: string
                state:
                  description: |
                    `delivered`: APNs accepted it. `rejected`: APNs refused it, see `status` and `reason`. `failed`: there was
                    no answer, see `code`. `pending`: not known yet.
                  type: string
                  enum: [pending, delivered, rejected, failed]
                status:
                  description: The HTTP status with which APNs refused.
                  type: integer
                reason:
                  description: The reason that APNs gave.
                  type: string
                code:
                  description: Why there was no answer, such as `deadline`, `connection`, `no-credential`, `expired`.
                  type: string
                inactiveSince:
                  description: Since when the token has been dead, as APNs said.
                  type: string
                  format: date-time
            OutcomeWithNotification:
              type: object
              additionalProperties: false
              required: [notification, outcome]
              properties:
                notification: { type: string, format: uuid }
                outcome: { $ref: "#/components/schemas/Outcome" }
            Notification:
              type: object
              additionalProperties: false
              required: [id, app, state, createdAt, targetCount, batchCount, remaining, counts]
              properties:
                id: { type: string, format: uuid }
                app: { type: string }
                state:
                  description: |
                    `accepted`: nothing was sent yet. `sending`: some of it may have been. `settled`: every target has its
                    outcome. `cancelled`, `expired`: what was left was not sent.
                  type: string
                  enum: [accepted, sending, settled, cancelled, expired]
                createdAt: { type: string, format: date-time }
                targetCount: { type: integer }
                batchCount: { type: integer }
                remaining:
                  description: How many targets have no outcome yet.
                  type: integer
                counts: { $ref: "#/components/schemas/Counts" }
                skipped: { $ref: "#/components/schemas/Skipped" }
                outcomes:
                  description: Every target in the order of the request.
                  type: array
                  items: { $ref: "#/components/schemas/Outcome" }
                failures:
                  description: A page of the targets that were not delivered, in the order of the request.
                  type: array
                  items: { $ref: "#/components/schemas/Outcome" }
                next:
                  description: Where the next page of `failures` begins.
                  type: string

            Fault:
              type: object
              additionalProperties: false
              required: [field, rule, value]
              properties:
                field:
                  description: Where the value stands, such as `targets.tokens[3]`, `query.limit` or `path.installation`.
                  type: string
                rule:
                  description: What is expected there.
                  type: string
                value:
                  description: What was found; its size or kind where the value is long or secret.
                  type: string
            Problem:
              description: A refusal (RFC 9457).
              type: object
              additionalProperties: false
              required: [type, title, status, code, detail, requestID]
              properties:
                type:
                  description: The path at which this server explains the problem.
                  type: string
                  format: uri-reference
                title: { type: string }
                status: { type: integer }
                code:
                  description: Which problem it is; stable.
                  type: string
                  enum:
                    - malformed_json
                    - unsupported_media_type
                    - body_too_large
                    - route_not_found
                    - method_not_allowed
                    - invalid_request
                    - invalid_device_token
                    - payload_too_large
                    - too_many_targets
                    - no_targets
                    - invalid_credential
                    - wrong_password
                    - master_key_missing
                    - missing_key
                    - invalid_key
                    - expired_key
                    - revoked_key
                    - missing_scope
                    - key_not_for_app
                    - app_not_found
                    - app_exists
                    - credential_not_found
                    - key_not_found
                    - device_not_found
                    - notification_not_found
                    - conflict
                    - store_unavailable
                    - store_locked
                    - store_read_only
                    - store_full
                    - store_corrupt
                    - shutting_down
                    - internal_error
                detail: { type: string }
                errors:
                  description: The faults that were found, at most 20.
                  type: array
                  items: { $ref: "#/components/schemas/Fault" }
                errorCount:
                  description: How many faults there are in all.
                  type: integer
                requestID: { type: string }

        """##
}
