// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part3 = ##"""
                            default: { notification: { title: Sale, body: "Hello {{tags.name|there}}, it has begun." } }
                            variants:
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
          /v1/apps/{app}/screenings:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: createScreening
              tags: [screenings]
              summary: Finds dead tokens and tokens of the other environment, without anybody seeing anything.
              description: |
                Each device of the audience is sent a `background` push of priority 5 without alert, badge and sound. Each token
                that APNs calls bad is then tried once in the other environment. `docs/screenings.md` says all of it.
              x-scopes: [campaigns]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ScreeningRequest" }
                    examples:
                      all:
                        summary: All devices, over six hours; devices in the wrong environment are corrected
                        value: { spreadSeconds: 21600, correct: true }
                      old:
                        summary: Devices that were not heard of this year, in the night
                        value:
                          audience: { seen: { before: "2026-01-01T00:00:00Z" } }
                          spreadSeconds: 3600
                          startAt: "2036-03-20T01:00:00Z"
              responses:
                "201":
                  description: It is stored and starts by itself.
                  headers:
                    Location: { schema: { type: string }, description: Where it is found. }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listScreenings
              tags: [screenings]
              summary: Lists an app's screenings, the youngest first.
              x-scopes: [campaigns, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of screenings.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ScreeningList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            get:
              operationId: showScreening
              tags: [screenings]
              summary: How far a screening has come, and what it has found out.
              x-scopes: [campaigns, read]
              responses:
                "200":
                  description: The screening.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:pause:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            post:
              operationId: pauseScreening
              tags: [screenings]
              summary: Stops a screening until it is resumed.
              description: Takes hold within a second.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The screening as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:resume:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            post:
              operationId: resumeScreening
              tags: [screenings]
              summary: Goes on with a paused screening.
              description: It goes on with exactly what was left.
              x-scopes: [campaigns]
              responses:
                "200":
                  description: The screening as it stands now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Screening" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/screenings/{screening}:cancel:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Screening" }
            post:
              operationId: cancelScreening
              tags: [screenings]
              summary: Calls a screening off.
              description: What was found out by then stays; what was planned counts as `cancelled`.
              x-scopes: [campaigns]
              responses:
                "200":
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

        """##
}
