// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part3 = ##"""
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
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
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

          /v1/apps/{app}/events:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: readEvents
              tags: [events]
              summary: What happened, the oldest first; as a page, or as a stream that follows.
              description: |
                With `Accept: application/x-ndjson` or `text/event-stream` the answer does not end: events follow as they happen,
                and at least every 15 seconds something that readers pass over. No event is ever skipped or out of order. When the
                stream ends, as at a restart of the server, go on behind the last `id`.
              x-scopes: [read]
              parameters:
                - name: after
                  in: query
                  description: |
                    The `id` of the last event that was read, the `cursor` of an answer, or `latest` for what happens from now on.
                    Without it the answer begins at the oldest event that is kept.
                  schema: { type: string }
                - { $ref: "#/components/parameters/Limit" }
                - name: kinds
                  in: query
                  description: The kinds to answer, with commas between them; all unless given.
                  schema: { type: string }
                - name: Last-Event-ID
                  in: header
                  description: The same as `after`, and stronger; `EventSource` sends it when it comes back.
                  schema: { type: string }
              responses:
                "200":
                  description: A page of events, or a stream of them.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/EventList" }
                    application/x-ndjson:
                      schema: { $ref: "#/components/schemas/Event" }
                    text/event-stream:
                      schema: { type: string }
                default: { $ref: "#/components/responses/Problem" }

          /v1/apps/{app}/webhooks:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: createWebhook
              tags: [webhooks]
              summary: Adds a receiver of what happens from now on. Its secret is in this answer and nowhere else.
              x-scopes: [admin]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/WebhookRequest" }
                    examples:
                      devices:
                        summary: Word of dead tokens
                        value: { url: "https://hooks.example.com/apus", kinds: [device.invalidated] }
              responses:
                "201":
                  description: It was added; `secret` is what verifies its requests.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Webhook" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listWebhooks
              tags: [webhooks]
              summary: The webhooks of an app, at most 20, in the order of their creation.
              x-scopes: [admin]
              responses:
                "200":
                  description: The webhooks.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/WebhookList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/webhooks/{webhook}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Webhook" }
            get:
              operationId: showWebhook
              tags: [webhooks]
              summary: One webhook, and how far it has come.
              x-scopes: [admin]
              responses:
                "200":
                  description: The webhook.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Webhook" }
                default: { $ref: "#/components/responses/Problem" }
            patch:
              operationId: changeWebhook
              tags: [webhooks]
              summary: Changes, pauses or activates a webhook; it is tried again at once.
              x-scopes: [admin]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/WebhookPatch" }
              responses:
                "200":
                  description: The webhook as it is now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Webhook" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: deleteWebhook
              tags: [webhooks]
              summary: Deletes a webhook.
              x-scopes: [admin]
              responses:
                "204":
                  description: It is gone.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/webhooks/{webhook}:test:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Webhook" }
            post:
              operationId: testWebhook
              tags: [webhooks]
              summary: Posts an event of the kind `webhook.test` now, and tells what the receiver said.
              x-scopes: [admin]
              responses:
                "200":
                  description: It was tried; `ok` says whether the receiver took it.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/WebhookAnswer" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/webhooks/{webhook}:enable:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Webhook" }
            post:
              operationId: enableWebhook
              tags: [webhooks]
              summary: Lets a disabled or paused webhook go on where it was; `lost` tells how many events are not kept any more.
              x-scopes: [admin]
              responses:
                "200":
                  description: The webhook as it is now.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Webhook" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/webhooks/{webhook}/deliveries:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Webhook" }
            get:
              operationId: listWebhookDeliveries
              tags: [webhooks]
              summary: The last 100 requests to a receiver, the youngest first.
              x-scopes: [admin]
              responses:
                "200":
                  description: The requests.

        """##
}
