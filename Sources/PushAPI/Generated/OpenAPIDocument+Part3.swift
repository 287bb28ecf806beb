// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part3 = ##"""
                those that named the topic when they registered; to each once. Up to 9,999 devices it becomes a notification, which is
                sent at once; otherwise a campaign, which is planned shard by shard, and can be watched, paused and called off. When
                the answer arrives, either is stored durably.
              x-scopes: [send]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/PublicationRequest" }
                    examples:
                      goal:
                        summary: A text with what filters look at
                        value:
                          attributes: { kind: goal, minute: 17 }
                          notification: { title: "1:0", body: It took seventeen minutes. }
              responses:
                "200":
                  description: |
                    Nobody is subscribed who wants it: then there is neither a notification nor a campaign. Or it was waited for, and
                    every device of a notification has its outcome.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Publication" }
                "202":
                  description: It is stored and will be sent; look at `Location` for what became of it. Campaigns are not waited for.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Publication" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/subscriptions:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: listSubscriptions
              tags: [topics]
              summary: What of the app is subscribed to any topic, in the order in which it was.
              x-scopes: [devices, send, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of them.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/SubscriptionList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/subscriptions/{subscription}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Subscription" }
            get:
              operationId: showSubscription
              tags: [topics]
              summary: A subscription.
              x-scopes: [devices, send, read]
              responses:
                "200":
                  description: The subscription.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Subscription" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: unsubscribe
              tags: [topics]
              summary: Ends a subscription.
              x-scopes: [devices]
              responses:
                "204":
                  description: It has ended.
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
              - { $ref: "#/components/parameters/Notification" }
            get:
              operationId: showNotification
              tags: [notifications]
              summary: How far a notification has come, with a page of the targets that were not delivered.
              description: |
                With the `apns-id` of one target in the place of the notification's id, what became of that target, as under
                `by-apns-id`.
              x-scopes: [send, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: Its standing.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - { $ref: "#/components/schemas/Notification" }
                          - { $ref: "#/components/schemas/OutcomeWithNotification" }
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
                cancelled before, as soon as that is so. What was sent again by `:resend` says so in `resentAs`.
              x-scopes: [send, read]
              parameters:
                - name: reason
                  in: query
                  description: Only those with this reason of Apple's, such as `TooManyRequests`, or this `code` of ours.
                  schema: { type: string }
                - name: retryable
                  in: query
                  description: |
                    `true`: only those that may succeed another time, since neither the token nor the request was at fault, and that
                    `:resend` has not taken yet. Of a campaign, devices that are gone by now are among them, and `:resend` leaves
                    them out. `false`: only those that may not succeed.
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
                the notification stays as it was. One call sends to 100,000 targets at most, of 1,000 batches: with `hasMore` there
                are others, and the next call goes on behind them with a notification of its own. Of a campaign or a screening,
                devices that were removed, became invalid or have another token by now are left out. It is refused while the old
                one is not final, and when all was sent again: what failed of a new one can be sent again in its turn. So no target
                is sent to again twice, however often this is called.
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
              parameters:
                - { $ref: "#/components/parameters/IdempotencyKey" }
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

        """##
}
