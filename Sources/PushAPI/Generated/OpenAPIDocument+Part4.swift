// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part4 = ##"""
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
                it start later, to look at the test before. Devices and users that cannot be reached are passed over and listed
                in `skipped`; if nobody is left, the request is refused (`no_targets`). So it is where there is one for which the
                message cannot be made: `errors` names the first 20 of them.
              x-scopes: [campaigns]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/CampaignTestRequest" }
              responses:
                "200":
                  description: |
                    It was waited for, and every target has its outcome. Up to 1000 targets all are in `outcomes`; with more,
                    `failures` begins the list of those that were not delivered. So it does where the request is repeated under an
                    `Idempotency-Key` and nobody has waited before; who was skipped is told by the first answer alone.
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
                  description: The kinds to answer, with commas between them; all unless given. One that does not exist is refused.
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
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/WebhookDeliveryList" }
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
                processes that deliver find out for themselves. `pauses` and `waiting` are the same whoever answers, also where
                that process does not deliver: what is paused is noted in the store, and what is not may be sent, or may not have
                been tried by anybody.
              x-scopes: [read]
              responses:
                "200":
                  description: Its standing.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Delivery" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: createActivity
              tags: [activities]
              summary: Keeps a Live Activity, and starts it by a push on the phones that are named, or on those of an audience.
              description: |
                Without `devices`, `users`, `topic` and `audience` it is an activity that apps start by themselves. A push starts it where
                the phone's app has told a token for that; devices without one are listed in `unreachable`, and those of a topic or an
                audience counted. `docs/live-activities.md` says all of it.
              x-scopes: [activities]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
                - name: dryRun
                  in: query
                  description: |
                    `true` changes nothing: the answer, 200, says what it would come to. `sent` is how many of the named phones would be
                    sent the push that starts it, and `audience` how many devices the topic or the audience has.
                  schema: { type: boolean, default: false }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ActivityRequest" }
              responses:
                "200":
                  description: It was waited for, and every push of this call has its outcome; `outcome` tells them, where any was sent.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                "201":
                  description: It is kept; the answer says what is sent.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listActivities
              tags: [activities]
              summary: The activities of an app in the order in which they were made.
              x-scopes: [activities, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
                - name: type
                  in: query
                  description: Only those of one attributes type.
                  schema: { type: string }
                - name: over

        """##
}
