// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part2 = ##"""
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
          /v1/apps/{app}/campaigns:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: createCampaign
              tags: [campaigns]
              summary: Creates a campaign, which starts by itself.
              description: |
                The audience is read while the campaign runs: devices that are registered after its start are not sent to, those
                that are removed before their turn are not either. Its notification has the campaign's id: `GET
                /v1/apps/{app}/notifications/{id}` lists the targets that were not delivered.
              x-scopes: [campaigns]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/CampaignRequest" }
                    examples:
                      now:
                        summary: A text to all who follow a topic, at once
                        value:
                          name: Results
                          audience: { topic: results }
                          message: { default: { notification: { title: It is decided, body: See who won. } } }
                      local:
                        summary: At nine in the morning wherever the device is, in two languages, at most 1000 a second
                        value:
                          name: Spring sale
                          audience:
                            and:
                              - tag: { name: plan, equals: free }
                              - appVersion: { atLeast: "2.10" }
                              - not: { seen: { before: "2026-01-01T00:00:00Z" } }
                          message:
                            timeToLive: 86400
                            collapseID: sale
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
            Limit:
              name: limit

        """##
}
