// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("apus topics", .timeLimit(.minutes(20)))
struct TopicCommandTests {
    @Test("makes a topic, subscribes a device, publishes to it, lists, and takes all of it back")
    func life() async throws {
        try await ServerInTest.with { simulator, server in
            let app = ServerInTest.app
            let phone = try simulator.bootDevice(apps: [app])
            let token = try #require(phone.apps.first?.tokens.values.first)
            let body = #"{"token":"\#(token.hex)","environment":"sandbox"}"#
            _ = try await server.api.call(.put, "/v1/apps/\(app)/devices/phone", body: Data(body.utf8))

            let made = try await server.apus("topics", "create", app, "news", "--display-name", "News", "--tag", "a=b")
            #expect(made.status == 0, "\(made.errors)")
            let topics = try await server.apus("topics", "list", app)
            #expect(topics.lines.last?.hasPrefix("news") == true)
            #expect(topics.lines.last?.contains("a=b") == true)
            let filter = #"{"kind":["goal"]}"#
            let subscribed = try await server.apus(
                "topics",
                "subscribe",
                app,
                "news",
                "--device",
                "phone",
                "--filter",
                filter,
                "--json"
            )
            let subscription: SubscriptionResponse = try subscribed.lastLine()
            #expect(subscription.device == "phone")
            let listed = try await server.apus("topics", "list", app, "news")
            #expect(listed.lines.last?.contains(subscription.id) == true)
            #expect(listed.lines.last?.contains("device phone") == true)

            for kind in ["corner", "goal"] {
                let published = try await server.apus(
                    "topics",
                    "publish",
                    app,
                    "news",
                    "--attributes",
                    #"{"kind":"\#(kind)"}"#,
                    "--title",
                    kind,
                    "--json"
                )
                #expect(published.status == 0, "\(published.errors)")
                let answer: PublicationResponse = try published.lastLine()
                #expect((answer.notification == nil) == (kind == "corner"))
            }
            let ended = try await server.apus("topics", "unsubscribe", app, subscription.id)
            #expect(ended.status == 0, "\(ended.errors)")
            let deleted = try await server.apus("topics", "delete", app, "news", "--json")
            #expect(deleted.status == 0, "\(deleted.errors)")
            #expect(try await server.apus("topics", "list", app, "--json").lines.isEmpty)
        }
    }

    @Test("says what is wrong: an unknown topic, a filter that is none, nobody to subscribe")
    func refusals() async throws {
        try await ServerInTest.with { _, server in
            let app = ServerInTest.app
            let unknown = try await server.apus("topics", "subscribe", app, "none", "--user", "anna", "--json")
            #expect(unknown.status != 0)
            #expect(unknown.failure?.code == "topic_not_found")
            _ = try await server.apus("topics", "create", app, "news")
            let filter = try await server.apus(
                "topics",
                "subscribe",
                app,
                "news",
                "--user",
                "anna",
                "--filter",
                #"{"kind":[]}"#,
                "--json"
            )
            #expect(filter.failure?.code == "invalid_request")
            let nobody = try await server.apus("topics", "subscribe", app, "news")
            #expect(nobody.status != 0)
            #expect(nobody.errors.contains("Give either --device or --user."))
        }
    }
}
