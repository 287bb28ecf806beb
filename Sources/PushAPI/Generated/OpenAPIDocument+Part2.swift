// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part2 = ##"""
                "200":
                  description: The import has begun. Lines follow as there is something to tell; the last one is of type `end`.
                  content:
                    application/x-ndjson:
                      schema: { $ref: "#/components/schemas/ImportLine" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/devices:export:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: exportDevices
              tags: [devices]
              summary: All devices of an app, in a form that can be imported again.
              x-scopes: [devices, read]
              parameters:
                - name: format
                  in: query
                  description: How they are written.
                  schema: { type: string, enum: [ndjson, csv], default: ndjson }
              responses:
                "200":
                  description: The devices in the order of their first registration; the connection breaks if it cannot go on.
                  content:
                    application/x-ndjson:
                      schema: { $ref: "#/components/schemas/Device" }
                    text/csv:
                      schema: { type: string }
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
              x-scopes: [devices, client]
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
              x-scopes: [devices, client]
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

        """##
}
