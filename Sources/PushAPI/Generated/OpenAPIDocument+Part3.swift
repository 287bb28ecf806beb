// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part3 = ##"""
                              de: { notification: { title: Ausverkauf, body: "Hallo {{tags.name|du}}, es geht los." } }
                          start: { local: { time: "2036-03-20T09:00", fallbackZone: Europe/Vienna } }
                          throttle: 1000
                          expiresAt: "2036-03-22T00:00:00Z"
              responses:
                "201":
                  description: It is stored and starts by itself.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Campaign" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listCampaigns
              tags: [campaigns]
              summary: The campaigns of an app, the youngest first.
              x-scopes: [campaigns, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of campaigns.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/CampaignList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns:estimate:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: estimateAudience
              tags: [campaigns]
              summary: Counts the devices of an audience that can be reached.
              x-scopes: [campaigns, read]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/EstimateRequest" }
                    examples:
                      german:
                        summary: Everybody who reads German
                        value: { audience: { locale: de } }
              responses:
                "200":
                  description: How many there are now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Estimate" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns/{campaign}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Campaign" }
            get:
              operationId: showCampaign
              tags: [campaigns]
              summary: A campaign and how far it has come.
              x-scopes: [campaigns, read]
              responses:
                "200":
                  description: The campaign.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Campaign" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns/{campaign}/progress:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Campaign" }
            get:
              operationId: watchCampaign
              tags: [campaigns]
              summary: How far a campaign has come, once or as a stream.
              description: |
                With `Accept: text/event-stream` the answer is a stream of server-sent events: `progress` every second, with the
                same object as `data`, and `end` when nothing of the campaign will change any more.
              x-scopes: [campaigns, read]
              responses:
                "200":
                  description: How far it has come.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/CampaignProgress" }
                    text/event-stream:
                      schema: { type: string }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns/{campaign}:pause:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Campaign" }
            post:
              operationId: pauseCampaign
              tags: [campaigns]
              summary: Stops a campaign until it is resumed.
              description: |
                Nothing more is sent a second later at the latest; what is on its way by then gets its outcome. A campaign
                that is paused already stays so.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The campaign as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Campaign" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns/{campaign}:resume:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Campaign" }
            post:
              operationId: resumeCampaign
              tags: [campaigns]
              summary: Goes on with a paused campaign.
              description: |
                What was planned before it was paused is sent first, at the campaign's rate. One that is not paused goes on
                as before.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The campaign as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Campaign" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns/{campaign}:cancel:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Campaign" }
            post:
              operationId: cancelCampaign
              tags: [campaigns]
              summary: Calls a campaign off.
              description: |
                Nothing more is sent a second later at the latest; what is on its way by then gets its outcome, what was
                planned counts as `cancelled`. A campaign that is cancelled already stays so.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The campaign as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Campaign" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/campaigns/{campaign}:test:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Campaign" }
            post:
              operationId: testCampaign
              tags: [campaigns]
              summary: Sends a campaign's message to a few devices first.
              description: |
                Each receives its own variant, as an ordinary notification. The campaign itself is not touched: pause it, or let
                it start later, to look at the test before.
              x-scopes: [campaigns]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/CampaignTestRequest" }
              responses:
                "202":
                  description: It is stored and will be sent; look at `Location` for what became of it.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Notification" }
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

        """##
}
