// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

extension OpenAPIDocument {
    static let part1 = ##"""
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

            Beside these operations the server answers the API of Amazon SNS for mobile push and topics, at `POST /` unless `sns.path`
            names another path: forms signed with Signature Version 4, answers in XML. See docs/migrating-from-sns.md.
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
          - name: topics
            description: What devices and users are subscribed to, and what is published to them.
          - name: campaigns
            description: A message to all devices, or to those of an audience, at a time and at a rate of one's choice.
          - name: activities
            description: Live Activities, the phones that show them, and what is planned for them.
          - name: jobs
            description: What recurs by a schedule; notifications, changes of Live Activities, calls.
          - name: events
            description: What happened, as a feed to read or to follow.
          - name: webhooks
            description: Receivers to which events are posted.
          - name: screenings
            description: Finds dead tokens, and tokens of the other environment, without anybody seeing anything.
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
              summary: Whether the store can be read and written.
              security: []
              responses:
                "200":
                  description: It can, or could a second ago; the store is asked at most once a second.
                  content:
                    application/json:
                      schema: { $ref: "#/components/schemas/Health" }
                default: { $ref: "#/components/responses/Problem" }
          /metrics:
            get:
              operationId: showMetrics
              tags: [server]
              summary: The metrics of the process that answers, in Prometheus' text format 0.0.4.
              description: |
                No key is needed while the server listens on a loopback address, or where `metrics.public` is `true`; otherwise a
                key with the scope `read` that is bound to no app. `docs/metrics.md` lists the metrics.
              security: []
              responses:
                "200":
                  description: The metrics.
                  content:
                    text/plain:
                      schema: { type: string }
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
          /certificates/{certificate}:
            parameters:
              - name: certificate
                in: path
                required: true
                description: Its name, which is the end of the `SigningCertURL` of every signed message.
                schema: { type: string }
            get:
              operationId: showCertificate
              tags: [topics]
              summary: The certificate that verifies what is posted to subscribed URLs; with a prefix where `sns.path` has one.
              security: []
              responses:
                "200":
                  description: The certificate.
                  content:
                    application/x-pem-file:
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
                again. With `file` the server only remembers the path, and reads the file whenever it connects to APNs; a key
                that is bound to an app may not name files. Of several credentials that fit, the youngest is used.
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
          /v1/apps/{app}/devices:import:

        """##
}
