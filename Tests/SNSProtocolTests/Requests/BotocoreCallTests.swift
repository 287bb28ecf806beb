// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import SNSProtocol

@Suite("What botocore sends for every operation")
struct BotocoreCallTests {
    private static let calls = SignatureVectors.botocore.requests

    private static func read(_ vector: SignatureVectors.Request) throws -> SNSQueryRequest {
        let query = try FormFields(Array(vector.query.utf8), source: .query)
        let form = try query.adding(FormFields(Array(vector.body.utf8), source: .body))
        return try SNSQueryRequest(form, in: SNSQueryRequest.Context(region: "ap-northeast-1"))
    }

    @Test("is read, with its action", arguments: Self.calls)
    func read(vector: SignatureVectors.Request) throws {
        let call = try Self.read(vector)
        #expect(call.action.rawValue == vector.action)
    }

    @Test("covers every operation")
    func complete() {
        #expect(Set(Self.calls.map(\.action)) == Set(SNSAction.allCases.map(\.rawValue)))
    }

    @Test("a topic with attributes and tags")
    func topic() throws {
        let requests = try Self.calls.filter { $0.action == "CreateTopic" }.map { try Self.read($0).request }
        guard case .createTopic(let plain) = requests[0], case .createTopic(let full) = requests[1],
            case .createTopic(let untagged) = requests[2]
        else { return #expect(Bool(false), "no topics") }
        #expect(plain.name == "watchme-dashboard-updates")
        #expect(plain.settings == TopicSettings())
        #expect(plain.tags == nil)
        #expect(full.settings["DisplayName"] == "寿司 & <b>")
        #expect(full.tags == [SNSTag(key: "a", value: "")])
        #expect(untagged.tags == nil)
    }

    @Test("a message with attributes of every kind")
    func message() throws {
        let vector = try #require(Self.calls.first { $0.action == "Publish" })
        guard case .publish(let request) = try Self.read(vector).request else { return #expect(Bool(false)) }
        let message = try request.parameters.message(to: request.target, limits: .sns)
        #expect(message.attributes["device_id"]?.text == "1cf67321 é+&=%")
        #expect(message.attributes["raw"]?.value == .binary([0, 255, 0x2B, 0x2F]))
        #expect(message.attributes["count"]?.text == "12.5")
        #expect(message.structure?.defaultText == "Dashboard updated")
        #expect(message.structure?["APNS"] == "{}")
        let attributes = [
            ("device_id", "String", 15), ("weights", "String.Array", 14), ("raw", "Binary", 4), ("count", "Number", 4),
        ]
        let sum = attributes.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + $1.2 }
        #expect(message.size == message.text.utf8.count + sum)
    }

    @Test("a batch of ten with attributes")
    func batch() throws {
        let vector = try #require(Self.calls.first { $0.action == "PublishBatch" })
        guard case .publishBatch(let request) = try Self.read(vector).request else { return #expect(Bool(false)) }
        let messages = try request.messages(limits: .sns)
        #expect(messages.map(\.id) == (0..<10).map { "e\($0)" })
        #expect(messages.map(\.message.text) == (0..<10).map { "message \($0)" })
        #expect(messages.allSatisfy { $0.message.attributes.count == 4 })
    }

    @Test("an endpoint, whose token is read in any case")
    func endpoint() throws {
        let vector = try #require(Self.calls.first { $0.action == "CreatePlatformEndpoint" })
        guard case .createPlatformEndpoint(let application, let attributes) = try Self.read(vector).request else {
            return #expect(Bool(false))
        }
        #expect(application.name == "watchme-ios-app")
        #expect(attributes.token == (try DeviceToken(hex: String(repeating: "ab", count: 32))))
        #expect(attributes.customUserData == "user 1")
        #expect(attributes.isEnabled == nil)
    }

    @Test("an application with a signing key")
    func application() throws {
        let vector = try #require(Self.calls.first { $0.action == "CreatePlatformApplication" })
        guard case .createPlatformApplication(let request) = try Self.read(vector).request else {
            return #expect(Bool(false))
        }
        let pem = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
        #expect(
            request.credential
                == .token(keyPEM: pem, keyID: "ABCDE12345", teamID: "TEAM123456", bundleID: "com.example.watchme")
        )
        #expect(request.attributes.values.keys.sorted() == ["ApplePlatformBundleID", "ApplePlatformTeamID"])
        #expect(!"\(request)".contains("AAAA"))
    }

    @Test("a subscription")
    func subscription() throws {
        let requests = try Self.calls.filter { $0.action == "Subscribe" }.map { try Self.read($0).request }
        guard case .subscribe(let device) = requests[0], case .subscribe(let url) = requests[1] else {
            return #expect(Bool(false))
        }
        #expect(device.returnsSubscriptionARN)
        let subscriber = try device.subscriber.get()
        #expect(subscriber.target.protocolName == "application")
        #expect(subscriber.settings.values == ["FilterPolicy": #"{"device_id":["1cf67321"]}"#])
        #expect(try url.subscriber.get().target == .url("https://example.com:8443/a?b=c"))
        #expect(!url.returnsSubscriptionARN)
    }
}
