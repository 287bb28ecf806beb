// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part2 = ##"""
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: importDevices
              tags: [devices]
              summary: Registers the devices of a file of any length, and answers line by line while it reads.
              description: |
                Each line of the body is a device in JSON, or a record of CSV (RFC 4180) below a line with the names of the
                columns. Read the answer while you send. A line that is wrong is refused alone; a device that its app has
                registered since the time of the line is passed over. `docs/devices.md` says all of it.
              x-scopes: [devices]
              parameters:
                - name: dryRun
                  in: query
                  description: Whether lines are only checked.
                  schema: { type: boolean, default: false }
              requestBody:
                required: true
                content:
                  application/x-ndjson:
                    schema: { $ref: "#/components/schemas/DeviceLine" }
                  text/csv:
                    schema: { type: string }
              responses:
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
          /v1/apps/{app}/topics:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: listTopics
              tags: [topics]
              summary: The topics of an app, by their names.
              x-scopes: [devices, send, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of them.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/TopicList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/topics/{topic}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Topic" }
            put:
              operationId: putTopic
              tags: [topics]
              summary: Makes a topic, or changes the name that is shown of it and its tags.
              description: |
                A topic is the server's: two apps that make one of the same name have the same topic, each its own subscribers of
                it. A key that is bound to an app changes no topic that others have too (`topic_shared`). Without a body the topic has
                no name to show and no tags.
              x-scopes: [devices]
              requestBody:
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/TopicRequest" }
              responses:
                "200":
                  description: The topic, which the app had already.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Topic" }
                "201":
                  description: The topic, which the app has now.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Topic" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: showTopic
              tags: [topics]
              summary: A topic, and how many subscriptions of the app it has.
              x-scopes: [devices, send, read]
              responses:
                "200":
                  description: The topic.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Topic" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: deleteTopic
              tags: [topics]
              summary: Deletes a topic for the app, with all subscriptions of the app.
              description: |
                Nothing more that was published to it is planned for the app; what is under way is sent. When no other app has the topic,
                and no URL is subscribed to it, it is gone entirely.
              x-scopes: [devices]
              responses:
                "204":
                  description: The app has it no more.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/topics/{topic}/subscriptions:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Topic" }
            get:
              operationId: listSubscriptionsOfTopic
              tags: [topics]
              summary: What of the app is subscribed to a topic, in the order in which it was.
              description: Devices that named the topic themselves when they registered are not among these.
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
            post:
              operationId: subscribe
              tags: [topics]
              summary: Subscribes a device or a user to a topic, or changes what it wants of the topic.
              description: |
                There is one subscription of each: repeating the request changes nothing, and another filter replaces the one of
                before. A user's subscription is for the devices that say that they are the user's when something is published.
              x-scopes: [devices]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/SubscriptionRequest" }
                    examples:
                      device:
                        summary: A device that wants goals and red cards
                        value:
                          device: phone
                          filter: { kind: [goal, red-card] }
                      user:
                        summary: All devices of a user
                        value: { user: anna }
              responses:
                "200":
                  description: The subscription, which there was already.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Subscription" }
                "201":
                  description: The subscription, which is new.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Subscription" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/topics/{topic}/notifications:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Topic" }
            post:
              operationId: publish
              tags: [topics]
              summary: Publishes a notification to the app's subscribers of a topic.
              description: |
                It goes to the devices that are subscribed to the topic, themselves or by their users, if their filter passes it, and to

        """##
}
