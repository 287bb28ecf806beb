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

@Suite("Platform endpoints of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSEndpointTests {
    /// A client, and the ARN of an application of the tests' app in the sandbox.
    static func application(_ api: TestAPI) async throws -> (client: SNSClient, arn: String) {
        let client = try await SNSClient(api)
        let created = try await SNSApplicationTests.create(client, platform: "APNS_SANDBOX")
        return (client, try #require(created["PlatformApplicationArn"]))
    }

    /// Creates an endpoint with the token of a byte.
    static func create(
        _ client: SNSClient,
        _ application: String,
        token byte: UInt8 = 1,
        data: String? = nil,
        _ attributes: [String: String] = [:]
    ) async throws -> XMLAnswer {
        var parameters = ["PlatformApplicationArn": application, "Token": TestToken.hex(byte).uppercased()]
        parameters["CustomUserData"] = data
        return try await client.call(
            "CreatePlatformEndpoint",
            parameters.merging(SNSApplicationTests.entries(attributes)) { $1 }
        )
    }

    @Test("are devices, and devices are endpoints", arguments: TestStoreBackend.chosen)
    func devices(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application, data: "user 7")["EndpointArn"])
            let prefix = client.arn("endpoint/APNS_SANDBOX/shop/")
            #expect(arn.hasPrefix(prefix))
            let installation = DeviceID(unchecked: String(arn.dropFirst(prefix.count)))
            let device = try #require(try await api.store.device(installation, of: TestAPI.app))
            #expect(device.token == TestToken.token(1))
            #expect(device.environment == .sandbox)
            let shown = try await client.call("GetEndpointAttributes", ["EndpointArn": arn])
            #expect(
                shown.attributes == ["CustomUserData": "user 7", "Enabled": "true", "Token": TestToken.hex(1)]
            )

            // What the app itself registers, under whatever name, is an endpoint as well.
            for (number, name) in ["0E3B-phone", "寿司 %2F", "x--eA"].enumerated() {
                let path = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                try await api.register(path, token: UInt8(10 + number))
            }
            let list = try await client.call(
                "ListEndpointsByPlatformApplication",
                ["PlatformApplicationArn": application]
            )
            let listed = list.texts("EndpointArn")
            #expect(listed.count == 4)
            #expect(listed[1] == prefix + "0E3B-phone")
            for (number, arn) in listed.dropFirst().enumerated() {
                let found = try await client.call("GetEndpointAttributes", ["EndpointArn": arn])
                #expect(found.attributes["Token"] == TestToken.hex(UInt8(10 + number)))
            }
            let again = try await Self.create(client, application, token: 10)
            #expect(again["EndpointArn"] == prefix + "0E3B-phone")
        }
    }

    @Test("are made once for a token, and refused with another one's attributes by the sentence that clients parse")
    func idempotency() async throws {
        try await withAPI { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application)["EndpointArn"])
            #expect(try await Self.create(client, application)["EndpointArn"] == arn)
            let same = try await Self.create(client, application, ["Enabled": "true"])
            #expect(same["EndpointArn"] == arn)
            let sentence =
                "Invalid parameter: Token Reason: Endpoint \(arn) already exists with the same Token, but different "
                + "attributes."
            for other in [["Enabled": "false"], ["CustomUserData": "x"]] {
                let answer = try await Self.create(client, application, other)
                #expect(answer.status == 400)
                #expect(answer.code == "InvalidParameter")
                #expect(answer.message == sentence)
            }
            let withData = try #require(try await Self.create(client, application, token: 2, data: "x")["EndpointArn"])
            #expect(try await Self.create(client, application, token: 2, data: "x")["EndpointArn"] == withData)
            #expect(try await Self.create(client, application, token: 2).code == "InvalidParameter")
        }
    }

    @Test("that are disabled stay so when they are created again without a word, and take no message")
    func disabled() async throws {
        try await withAPI { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application, ["Enabled": "false"])["EndpointArn"])
            #expect(try await Self.create(client, application)["EndpointArn"] == arn)
            let shown = try await client.call("GetEndpointAttributes", ["EndpointArn": arn])
            #expect(shown.attributes["Enabled"] == "false")
            // Nobody else sends to it either.
            let installation = try #require(arn.split(separator: "/").last)
            let body = #"{"targets":{"devices":["\#(installation)"]},"notification":{"title":"Hello"}}"#
            let refused = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", body)
            #expect(refused.code == "no_reachable_targets")
        }
    }

    @Test("are changed as clients do that found them out of date, from every state")
    func changed() async throws {
        try await withAPI { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application, ["Enabled": "false"])["EndpointArn"])
            let change = SNSApplicationTests.entries(["Token": TestToken.hex(2), "Enabled": "true"])
            let set = try await client.call("SetEndpointAttributes", change.merging(["EndpointArn": arn]) { $1 })
            #expect(set.status == 200)
            let shown = try await client.call("GetEndpointAttributes", ["EndpointArn": arn])
            #expect(shown.attributes == ["Enabled": "true", "Token": TestToken.hex(2)])
            #expect(try await Self.create(client, application, token: 2)["EndpointArn"] == arn)
            #expect(try await Self.create(client, application, token: 1)["EndpointArn"] != arn)
            let empty = try await client.call("SetEndpointAttributes", ["EndpointArn": arn])
            #expect(empty.code == "ValidationError")
            let unknown = try await client.call(
                "SetEndpointAttributes",
                SNSApplicationTests.entries(["Colour": "red"]).merging(["EndpointArn": arn]) { $1 }
            )
            #expect(unknown.message == "Invalid parameter: Attributes Reason: Invalid attribute name: Colour")
        }
    }

    @Test("are told apart from what is no endpoint")
    func missing() async throws {
        try await withAPI { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application)["EndpointArn"])
            for _ in 0..<2 {
                #expect(try await client.call("DeleteEndpoint", ["EndpointArn": arn]).status == 200)
            }
            let gone = try await client.call("GetEndpointAttributes", ["EndpointArn": arn])
            #expect(gone.status == 404)
            #expect(gone.message == "Endpoint does not exist")
            let unset = try await client.call(
                "SetEndpointAttributes",
                SNSApplicationTests.entries(["Enabled": "true"]).merging(["EndpointArn": arn]) { $1 }
            )
            #expect(unset.code == "NotFound")
            let malformed = try await client.call("GetEndpointAttributes", ["EndpointArn": "arn:aws:sns"])
            #expect(
                malformed.message
                    == "Invalid parameter: EndpointArn Reason: An ARN must have at least 6 elements, not 3"
            )
            // An endpoint of production is none of the sandbox.
            try await api.register("phone", token: 9)
            let other = try await SNSApplicationTests.create(client, "live")
            #expect(other.status == 200)
            let elsewhere = client.arn("endpoint/APNS/live/phone")
            #expect(try await client.call("GetEndpointAttributes", ["EndpointArn": elsewhere]).code == "NotFound")
            let unknown = try await Self.create(client, client.arn("app/APNS/none"))
            #expect(unknown.code == "NotFound")
            #expect(unknown.message == "PlatformApplication does not exist")
            let token = try await client.call(
                "CreatePlatformEndpoint",
                ["PlatformApplicationArn": application, "Token": "xyz"]
            )
            #expect(
                token.message
                    == "Invalid parameter: Token Reason: iOS device tokens must be no more than 400 hexadecimal characters"
            )
        }
    }

    @Test("are listed page by page")
    func pages() async throws {
        var setup = TestSetup()
        setup.configuration.sns.limits.pageSize = 2
        try await withAPI(setup) { api async throws in
            let (client, application) = try await Self.application(api)
            var made: [String] = []
            for byte in 1...5 as ClosedRange<UInt8> {
                made.append(try #require(try await Self.create(client, application, token: byte)["EndpointArn"]))
            }
            var listed: [String] = []
            var parameters = ["PlatformApplicationArn": application]
            repeat {
                let page = try await client.call("ListEndpointsByPlatformApplication", parameters)
                listed += page.texts("EndpointArn")
                parameters["NextToken"] = page["NextToken"]
            } while parameters["NextToken"] != nil
            #expect(listed == made)
        }
    }

    /// Publishes to an endpoint alone, and answers as APNs may.
    private static func reject(_ arn: String, _ rejection: Rejection, _ client: SNSClient) async throws {
        let store = client.api.store
        #expect(try await client.call("Publish", ["TargetArn": arn, "Message": "Hello"]).status == 200)
        let batch = try #require(
            try await store.claim(
                lane: .urgent,
                limit: 1,
                worker: "worker",
                leaseDuration: .seconds(60),
                now: TestTime.start
            ).first
        )
        let failure = Settlement.Failure(index: 0, outcome: .rejected(rejection))
        try await store.settle(Settlement(of: batch, range: 0..<1, failures: [failure]), now: TestTime.start)
    }

    @Test(
        "whose tokens APNs has called bad can be disabled for everybody, and enabled",
        arguments: TestStoreBackend.chosen
    )
    func suspect(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application)["EndpointArn"])
            let installation = DeviceID(unchecked: String(try #require(arn.split(separator: "/").last)))
            func device() async throws -> Device {
                try #require(try await api.store.device(installation, of: TestAPI.app))
            }
            func set(isEnabled: Bool) async throws {
                let entries = SNSApplicationTests.entries(["Enabled": "\(isEnabled)"])
                let answer = try await client.call(
                    "SetEndpointAttributes",
                    entries.merging(["EndpointArn": arn]) { $1 }
                )
                #expect(answer.status == 200)
            }
            func shown() async throws -> String? {
                try await client.call("GetEndpointAttributes", ["EndpointArn": arn]).attributes["Enabled"]
            }
            for opinion in [false, true] {
                try await Self.reject(arn, Rejection(.badDeviceToken), client)
                #expect(
                    try await device().status == .suspect(reason: .badDeviceToken, since: TestTime.start)
                )
                #expect(try await shown() == "false")
                // Others try it all the same, until somebody says that it is to be left alone.
                #expect(try await api.store.targets(of: TestAPI.app, installations: [installation]).count == 1)
                try await set(isEnabled: opinion)
                #expect(try await shown() == "\(opinion)")
                #expect(try await device().status.isReachable == opinion)
                let reached = try await api.store.targets(of: TestAPI.app, installations: [installation])
                #expect(reached.count == (opinion ? 1 : 0))
                try await set(isEnabled: true)
                #expect(try await device().status == .active)
            }
        }
    }

    @Test("that APNs has called dead are disabled, until the app says its token again")
    func dead() async throws {
        try await withAPI { api async throws in
            let (client, application) = try await Self.application(api)
            let arn = try #require(try await Self.create(client, application)["EndpointArn"])
            let message = ["TargetArn": arn, "Message": "Hello"]
            let now = TestTime.start.addingTimeInterval(1).millisecondsSince1970
            try await Self.reject(arn, Rejection(.unregistered, inactiveSince: now), client)
            let shown = try await client.call("GetEndpointAttributes", ["EndpointArn": arn])
            #expect(shown.attributes["Enabled"] == "false")
            let refused = try await client.call("Publish", message.merging(["MessageStructure": "json"]) { $1 })
            #expect(refused.status == 400)
            #expect(refused.code == "EndpointDisabled")
            #expect(refused.message == "Endpoint is disabled")
            let enabled = SNSApplicationTests.entries(["Enabled": "true", "Token": TestToken.hex(1)])
            _ = try await client.call("SetEndpointAttributes", enabled.merging(["EndpointArn": arn]) { $1 })
            #expect(try await client.call("Publish", message).status == 200)
        }
    }
}
