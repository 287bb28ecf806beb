// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part5 = ##"""
                  in: query
                  description: Only those that are over, or only those that are not.
                  schema: { type: boolean }
              responses:
                "200":
                  description: A page of activities.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities:change:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: changeActivities
              tags: [activities]
              summary: Changes up to 10,000 activities in one transaction.
              x-scopes: [activities]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
                - name: dryRun
                  in: query
                  description: |
                    `true` changes nothing: the answer, 200, says what it would come to. `sent` is how many phones would be sent to, now or
                    later, and `budget` what that would cost them.
                  schema: { type: boolean, default: false }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ActivityOrders" }
              responses:
                "200":
                  description: It was waited for, and every push of this call has its outcome; `outcome` tells them, where any was sent.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityResults" }
                "202":
                  description: What became of each change, in their order; the others are carried out although one is refused.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityResults" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
            get:
              operationId: showActivity
              tags: [activities]
              summary: One activity, with what phones show.
              x-scopes: [activities, read]
              parameters:
                - name: phones
                  in: query
                  description: Whether its phones are counted, all of which are looked at for that.
                  schema: { type: boolean, default: false }
              responses:
                "200":
                  description: The activity.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Activity" }
                default: { $ref: "#/components/responses/Problem" }
            patch:
              operationId: changeActivity
              tags: [activities]
              summary: Updates or ends an activity, and moves its instants.
              description: |
                What is not named stays as it is. A phone that has something on its way to it is sent the newest state when that is
                settled; what was overtaken meanwhile is never sent. With `end` the activity is over.
              x-scopes: [activities]
              parameters:
                - { $ref: "#/components/parameters/Wait" }
                - { $ref: "#/components/parameters/IdempotencyKey" }
                - name: dryRun
                  in: query
                  description: |
                    `true` changes nothing: the answer, 200, says what it would come to. `sent` is how many phones would be sent to, now or
                    later, and `budget` what that would cost them.
                  schema: { type: boolean, default: false }
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ActivityChange" }
              responses:
                "200":
                  description: It was waited for, and every push of this call has its outcome; `outcome` tells them, where any was sent.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                "202":
                  description: It is kept, and sent to the phones.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}:invite:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
            post:
              operationId: inviteToActivity
              tags: [activities]
              summary: Starts an activity by a push on more phones; those that take part already are passed over.
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
                    schema: { $ref: "#/components/schemas/ActivityInvitation" }
              responses:
                "200":
                  description: It was waited for, and every push of this call has its outcome; `outcome` tells them, where any was sent.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                "202":
                  description: What is sent.
                  headers:
                    Idempotency-Replayed: { $ref: "#/components/headers/IdempotencyReplayed" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityReceipt" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}/participants:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
            get:
              operationId: listParticipants
              tags: [activities]
              summary: The phones of an activity in the order in which they joined.
              x-scopes: [activities, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of phones.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ParticipantList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}/timeline:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
            get:
              operationId: showTimeline
              tags: [activities]
              summary: What happened to an activity, the latest last, with what its pushes came to so far.
              x-scopes: [activities, read]
              parameters:
                - { $ref: "#/components/parameters/After" }
                - { $ref: "#/components/parameters/Limit" }
              responses:
                "200":
                  description: A page of the timeline, of which the last 1,000 entries are kept.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Timeline" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activity-types:
            parameters:
              - { $ref: "#/components/parameters/App" }
            get:
              operationId: listActivityTypes
              tags: [activities]
              summary: The types of activities that an app has registered, by their names; at most 100.
              x-scopes: [activities, read]
              responses:
                "200":
                  description: All of them.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityTypeList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activity-types/{attributesType}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/AttributesType" }
            put:
              operationId: registerActivityType
              tags: [activities]
              summary: Registers what the content of a type's activities has to look like, in the place of what was said before.
              description: |
                From then on every content state is held against the schema: those of new activities, of changes, also many at a
                time, what comes of a patch, and what is planned ahead, when it is planned and again when it is carried out. What
                breaks it is refused with `content_mismatch`. What was stored before is not looked at.
              x-scopes: [activities]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ActivityTypeRequest" }
              responses:
                "200":
                  description: It takes the place of the one before.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityType" }
                "201":
                  description: It is registered.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityType" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: showActivityType
              tags: [activities]
              summary: A registered type.
              x-scopes: [activities, read]
              responses:
                "200":
                  description: The type.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ActivityType" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: deleteActivityType
              tags: [activities]
              summary: Forgets a type; the content of its activities is not checked any more.
              x-scopes: [activities]
              responses:
                "204":
                  description: It is forgotten.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/channels:
            parameters:
              - { $ref: "#/components/parameters/App" }
            post:
              operationId: createChannel
              tags: [activities]
              summary: Makes a broadcast channel at APNs, or gives one a name that APNs has already.
              description: |
                Whoever subscribes to the channel gets every push to it; see docs/broadcast.md. The name is of your choice, and unique
                within the app in all environments. Environment and message storage never change.

                Where APNs' answer is lost, the channel stays `creating`: the same call makes it anew. What APNs may have made before
                is listed among the channels that are `unknown`. With `id` such a channel is taken in under a name; APNs says what it
                stores.
              x-scopes: [activities]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ChannelRequest" }
              responses:
                "201":
                  description: The channel.
                  headers:
                    Location: { $ref: "#/components/headers/Location" }
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Channel" }
                default: { $ref: "#/components/responses/Problem" }
            get:
              operationId: listChannels
              tags: [activities]
              summary: The channels of an app in an environment, by their names, held against what APNs has.
              x-scopes: [activities, read]
              parameters:
                - name: environment
                  in: query
                  description: The environment; the app's default unless given.
                  schema: { $ref: "#/components/schemas/Environment" }
              responses:
                "200":
                  description: All of them; also when APNs cannot be asked, which `trouble` tells then.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/ChannelList" }
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/channels/{channel}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Channel" }
            get:
              operationId: showChannel
              tags: [activities]
              summary: A channel.
              x-scopes: [activities, read]
              parameters:
                - name: verify
                  in: query
                  description: With `true` APNs is asked whether it has the channel.
                  schema: { type: boolean, default: false }
              responses:
                "200":
                  description: The channel.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Channel" }
                default: { $ref: "#/components/responses/Problem" }
            delete:
              operationId: deleteChannel
              tags: [activities]
              summary: Deletes a channel at APNs, and then forgets it.
              description: |
                From then on nothing can be sent to it, and APNs never gives its id out again. Where APNs cannot be asked, or its answer
                is lost, the channel stays `deleting`: the same call goes on. One that APNs has no more is forgotten.
              x-scopes: [activities]
              responses:
                "204":
                  description: It is deleted.
                default: { $ref: "#/components/responses/Problem" }
          /v1/apps/{app}/activities/{activity}/tokens/{installation}:
            parameters:
              - { $ref: "#/components/parameters/App" }
              - { $ref: "#/components/parameters/Activity" }
              - { $ref: "#/components/parameters/Installation" }
            put:
              operationId: tellActivityToken
              tags: [activities]
              summary: Tells the update token of a phone that shows an activity.
              description: |
                For the app itself, with a key of the scope `client`: call it for each token that `pushTokenUpdates` gives. Telling a token
                again, or late, does no harm. With `attributesType` the activity is made if nobody has told of it yet.
              x-scopes: [activities, client]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: { $ref: "#/components/schemas/ActivityTokenRequest" }
              responses:
                "200":
                  description: It is kept; the phone is sent what is newest unless it shows that.

        """##
}
