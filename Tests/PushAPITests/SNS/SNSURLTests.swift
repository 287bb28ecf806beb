// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Testing
import Topics

@Suite("URLs at the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSURLTests {
    private static let url = "https://hooks.example.com/sns"
    private static let masterKey = MasterKey.generate()

    /// A server whose master key is known.
    private static func setup(_ store: TestStoreBackend = .sqlite) -> TestSetup {
        var setup = TestSetup(store: store)
        setup.masterKey = Self.masterKey
        return setup
    }

    /// What is to be posted, and the subscription as it stands.
    private static func claimed(_ api: TestAPI, after seconds: Double = 3600) async throws -> [TopicDelivery] {
        try await api.store.claimDeliveries(
            limit: 10,
            each: 10,
            worker: "worker",
            leaseDuration: .milliseconds(1),
            now: TestTime.start.addingTimeInterval(seconds)
        )
    }

    /// Subscribes a URL, and answers the ARN of its topic, its own, and the server that it is told.
    private static func subscribe(
        _ client: SNSClient,
        _ parameters: [String: String] = [:]
    ) async throws -> (topic: String, arn: String) {
        let name = SNSApplicationTests.entries(["DisplayName": "News"]).merging(["Name": "news"]) { $1 }
        let topic = try #require(try await client.call("CreateTopic", name)["TopicArn"])
        let fields = ["TopicArn": topic, "Protocol": "https", "Endpoint": Self.url, "ReturnSubscriptionArn": "true"]
        let answer = try await client.call("Subscribe", fields.merging(parameters) { $1 })
        return (topic, try #require(answer["SubscriptionArn"], "\(answer.text)"))
    }

    /// The token of a subscription, as the deliverer of the same server knows it.
    private static func token(_ arn: String) throws -> String {
        let id = try #require(arn.split(separator: ":").last.flatMap { SubscriptionID($0) })
        return ConfirmationTokens(Self.masterKey).token(of: id)
    }

    @Test("wait for their confirmation, which anyone gives who has the token", arguments: TestStoreBackend.chosen)
    func confirmation(store: TestStoreBackend) async throws {
        try await withAPI(Self.setup(store)) { api async throws in
            let client = try await SNSClient(api)
            let (topic, arn) = try await Self.subscribe(client)
            let again = try await client.call(
                "Subscribe",
                ["TopicArn": topic, "Protocol": "https", "Endpoint": Self.url]
            )
            #expect(again["SubscriptionArn"] == "pending confirmation")
            let listed = try await client.call("ListSubscriptionsByTopic", ["TopicArn": topic])
            #expect(listed.texts("SubscriptionArn") == ["PendingConfirmation"])
            #expect(listed.texts("Endpoint") == [Self.url])
            let before = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(before.attributes["PendingConfirmation"] == "true")
            let counts = try await client.call("GetTopicAttributes", ["TopicArn": topic])
            #expect(counts.attributes["SubscriptionsPending"] == "1")
            // Nothing is published to it, and it is asked once as long as that waits.
            #expect(try await client.call("Publish", ["TopicArn": topic, "Message": "early"]).status == 200)
            let asked = try await Self.claimed(api)
            #expect(asked.map { HTTPSubscriptionMessage(content: $0.message.content) } == [.confirmation])
            #expect(Set(asked.map(\.url)) == [Self.url])

            for token in [String(repeating: "0", count: 128), try Self.token(arn).uppercased(), "x"] {
                let link = "/?Action=ConfirmSubscription&TopicArn=\(topic)&Token=\(token)"
                let wrong = try await client.send(.get, link, [:], nil)
                #expect(wrong.status == 400)
                #expect(wrong.message == (token == "x" ? "Invalid token" : "Invalid parameter: Token"))
            }
            let place = try #require(asked.first?.subscription.flatMap { HTTPSubscription($0) })
            #expect(place.server == "http://localhost/")
            let link = place.subscribeURL(token: try Self.token(arn)).replacing("http://localhost", with: "")
            let confirmed = try await client.send(.get, link, [:], nil)
            #expect(confirmed.status == 200)
            #expect(confirmed["SubscriptionArn"] == arn)
            #expect(try await client.send(.get, link, [:], nil)["SubscriptionArn"] == arn)
            let after = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(after.attributes["PendingConfirmation"] == "false")
            #expect(after.attributes["ConfirmationWasAuthenticated"] == "false")
            #expect(after.attributes["Endpoint"] == Self.url)
            #expect(after.attributes.keys.allSatisfy { !$0.hasPrefix("apus") })

            let published = try await client.call("Publish", ["TopicArn": topic, "Message": "now", "Subject": "S"])
            let waiting = try await Self.claimed(api, after: 7200).filter {
                HTTPSubscriptionMessage(content: $0.message.content) != .confirmation
            }
            #expect(waiting.map(\.message.id.description) == [try #require(published["MessageId"])])
            #expect(
                waiting.map { HTTPSubscriptionMessage(content: $0.message.content) }
                    == [.notification(SNSMessage(text: "now", subject: "S"))]
            )
        }
    }

    @Test("whose token was made under a master key that is gone are subscribed again, and can be confirmed")
    func lostMasterKey() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let client = try await SNSClient(api)
            let (topic, arn) = try await Self.subscribe(client)
            let id = try #require(arn.split(separator: ":").last.flatMap { SubscriptionID($0) })
            var former = try #require(try await api.store.unsubscribe(id))
            former.confirmation = ConfirmationTokens.digest(of: ConfirmationTokens(.generate()).token(of: id))
            _ = try await api.store.subscribe(former, policyLimit: 10)

            let (_, again) = try await Self.subscribe(client)
            #expect(again != arn)
            let token = try Self.token(again)
            let confirmed = try await client.call("ConfirmSubscription", ["TopicArn": topic, "Token": token])
            #expect(confirmed["SubscriptionArn"] == again)
            #expect(try await api.store.subscription(id) == nil)
        }
    }

    @Test("keep what they are when their attributes change, and end by the link in a message")
    func unsubscribing() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let client = try await SNSClient(api)
            let (topic, arn) = try await Self.subscribe(
                client,
                ["Attributes.entry.1.key": "RawMessageDelivery", "Attributes.entry.1.value": "true"]
            )
            let token = try Self.token(arn)
            let confirmed = try await client.call("ConfirmSubscription", ["TopicArn": topic, "Token": token])
            #expect(confirmed["SubscriptionArn"] == arn)
            let change = ["SubscriptionArn": arn, "AttributeName": "RawMessageDelivery", "AttributeValue": "false"]
            #expect(try await client.call("SetSubscriptionAttributes", change).status == 200)
            let shown = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(shown.attributes["RawMessageDelivery"] == "false")
            #expect(shown.attributes["ConfirmationWasAuthenticated"] == "true")
            let id = try #require(arn.split(separator: ":").last.flatMap { SubscriptionID($0) })
            let kept = try #require(try await api.store.subscription(id))
            let place = try #require(HTTPSubscription(kept))
            #expect(place.topic.description == topic)
            let link = place.unsubscribeURL(of: id).replacing("http://localhost", with: "")
            let foreign = try await client.send(.get, link.replacing(":news:", with: ":other:"), [:], nil)
            #expect(foreign.status == 403)
            #expect(try await client.send(.get, link, [:], nil).status == 200)
            #expect(try await api.store.subscription(id) == nil)
            #expect(try await client.send(.get, link, [:], nil).status == 200)
        }
    }

    @Test("end by a signature alone where whoever confirmed them says so; other operations always need one")
    func authenticated() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let client = try await SNSClient(api)
            let (topic, arn) = try await Self.subscribe(client)
            let fields = ["TopicArn": topic, "Token": try Self.token(arn), "AuthenticateOnUnsubscribe": "true"]
            let link = "/?Action=ConfirmSubscription&\(SNSClient.form(fields))"
            #expect(try await client.send(.get, link, [:], nil).code == "MissingAuthenticationToken")
            let asked = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(asked.attributes["PendingConfirmation"] == "true")
            #expect(try await client.call("ConfirmSubscription", fields)["SubscriptionArn"] == arn)
            let unsigned = try await client.send(.get, "/?Action=Unsubscribe&SubscriptionArn=\(arn)", [:], nil)
            #expect(unsigned.code == "MissingAuthenticationToken")
            let publish = try await client.send(.get, "/?Action=Publish&Message=a&TopicArn=\(topic)", [:], nil)
            #expect(publish.code == "MissingAuthenticationToken")
            #expect(try await client.call("Unsubscribe", ["SubscriptionArn": arn]).status == 200)
            let gone = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(gone.code == "NotFound")
        }
    }

    @Test("are shown without their passwords, which are sealed", arguments: TestStoreBackend.chosen)
    func passwords(store: TestStoreBackend) async throws {
        try await withAPI(Self.setup(store)) { api async throws in
            let client = try await SNSClient(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let subscribed = try await client.call(
                "Subscribe",
                [
                    "TopicArn": topic, "Protocol": "https", "Endpoint": "https://anna:s3cret@example.com/a?b=1:2@3",
                    "ReturnSubscriptionArn": "true",
                ]
            )
            let arn = try #require(subscribed["SubscriptionArn"])
            let masked = "https://anna:****@example.com/a?b=1:2@3"
            #expect(try await client.call("ListSubscriptions").texts("Endpoint") == [masked])
            let shown = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(shown.attributes["Endpoint"] == masked)

            let id = try #require(arn.split(separator: ":").last.flatMap { SubscriptionID($0) })
            let stored = try #require(try await api.store.subscription(id))
            #expect(stored.subscriber == .url("https://example.com/a?b=1:2@3"))
            #expect(try Self.masterKey.user(of: stored) == "anna:s3cret")
            #expect(try await Self.claimed(api).map(\.url) == ["https://example.com/a?b=1:2@3"])
        }
    }

    @Test("are subscribed once, whatever user they have, and are refused with another one")
    func otherUser() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let client = try await SNSClient(api)
            let (topic, arn) = try await Self.subscribe(client, ["Endpoint": "https://t0ken@example.com/"])
            func subscribe(_ endpoint: String) async throws -> XMLAnswer {
                let fields = ["TopicArn": topic, "Protocol": "https", "Endpoint": endpoint]
                return try await client.call("Subscribe", fields.merging(["ReturnSubscriptionArn": "true"]) { $1 })
            }
            #expect(try await subscribe("https://t0ken@example.com/")["SubscriptionArn"] == arn)
            for other in ["https://example.com/", "https://other@example.com/"] {
                let refused = try await subscribe(other)
                #expect(refused.code == "InvalidParameter")
                #expect(refused.message?.contains("different user or password") == true)
            }
            // A user without a password may be a token.
            let listed = try await client.call("ListSubscriptions").texts("Endpoint")
            #expect(listed == ["https://****@example.com/"])
        }
    }

    @Test("that an older version stored with their password are shown without it, and stay as they are")
    func clearPassword() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let client = try await SNSClient(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let url = "https://anna:s3cret@example.com/"
            var draft = Subscription(
                id: SubscriptionID(now: TestTime.start),
                topic: "news",
                subscriber: .url(url),
                createdAt: TestTime.start
            )
            HTTPSubscription(topic: try TopicARN(topic, region: nil), server: "http://localhost/").write(to: &draft)
            _ = try await api.store.subscribe(draft, policyLimit: 10)
            let again = try await client.call("Subscribe", ["TopicArn": topic, "Protocol": "https", "Endpoint": url])
            #expect(again["SubscriptionArn"]?.hasSuffix(draft.id.description) == true)
            let listed = try await client.call("ListSubscriptions").texts("Endpoint")
            #expect(listed == ["https://anna:****@example.com/"])
            #expect(try HTTPSubscriberURL(of: draft, openedBy: Self.masterKey)?.user == "anna:s3cret")
        }
    }

    @Test("are refused where they are none, and to keys that are bound to an app")
    func refusals() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let client = try await SNSClient(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            for (name, endpoint) in [("https", "http://example.com"), ("http", "http://"), ("http", "http://a b/")] {
                let fields = ["TopicArn": topic, "Protocol": name, "Endpoint": endpoint]
                let refused = try await client.call("Subscribe", fields)
                #expect(refused.code == "InvalidParameter")
                #expect(refused.message == "Invalid parameter: Endpoint must match the specified protocol")
            }
            let bound = try await SNSClient(api, scopes: #""campaigns""#, app: TestAPI.app)
            _ = try await bound.call("CreateTopic", ["Name": "news"])
            let refused = try await bound.call(
                "Subscribe",
                ["TopicArn": topic, "Protocol": "https", "Endpoint": Self.url]
            )
            #expect(refused.code == "AuthorizationError")
            #expect(try await Self.claimed(api) == [])
        }
    }

    @Test("are refused with a private address, unless the server allows these")
    func privateAddresses() async throws {
        let endpoints = [
            "https://127.0.0.1/", "https://anna:s3cret@10.0.0.7:8443/", "http://169.254.169.254/", "https://[::1]/",
            "https://[::ffff:192.168.0.1]/", "http://2130706433/",
        ]
        var setup = Self.setup()
        for isAllowed in [false, true] {
            setup.configuration.allowsPrivateNetworks = isAllowed
            try await withAPI(setup) { api async throws in
                let client = try await SNSClient(api)
                let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
                for endpoint in endpoints {
                    let scheme = endpoint.hasPrefix("https:") ? "https" : "http"
                    let fields = ["TopicArn": topic, "Protocol": scheme, "Endpoint": endpoint]
                    let answer = try await client.call("Subscribe", fields)
                    #expect(answer.code == (isAllowed ? nil : "InvalidParameter"), "\(endpoint)")
                    let namesKey = answer.message?.contains("webhooks.allowPrivateNetworks") ?? false
                    #expect(namesKey == !isAllowed)
                }
                let listed = try await client.call("ListSubscriptions").texts("Endpoint")
                #expect(listed.count == (isAllowed ? endpoints.count : 0))
            }
        }
    }

    @Test("verify by a certificate that everybody gets by its name, and nobody by another")
    func certificate() async throws {
        try await withAPI(Self.setup()) { api async throws in
            let early = try await api.client.answer(to: .get, "/certificates/x.pem", headers: [:], body: nil)
            #expect(early.status == 404)
            #expect(try await api.store.deliveryIdentity() == nil)
            let signer = MessageSigner(store: api.store, masterKey: Self.masterKey, now: { TestTime.start })
            let identity = try await signer.identity()
            let answer = try await api.client.answer(
                to: .get,
                "/certificates/\(identity.certificateFileName)",
                headers: [:],
                body: nil
            )
            #expect(answer.status == 200)
            #expect(answer.text == identity.certificatePEM)
            let other = try await api.client.answer(to: .get, "/certificates/other.pem", headers: [:], body: nil)
            #expect(other.status == 404)
        }
    }
}
