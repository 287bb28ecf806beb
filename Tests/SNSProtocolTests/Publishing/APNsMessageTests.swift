// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import SNSProtocol

@Suite("What Apple's endpoints get")
struct APNsMessageTests {
    private static let time: Int64 = 1_700_000_000

    private static func message(
        _ text: String,
        isStructured: Bool = false,
        _ attributes: [String: String] = [:],
        platform: SNSPlatform = .apns
    ) throws -> APNsMessage {
        let message = SNSMessage(
            text: text,
            subject: nil,
            attributes: attributes.mapValues { MessageAttribute(dataType: "String", value: .text($0)) },
            structure: isStructured ? try MessageStructure(json: text) : nil,
            groupID: nil,
            deduplicationID: nil
        )
        return try APNsMessage(message, platform: platform, bundleID: "com.example.app", publishedAt: Self.time)
    }

    private static func headers(
        _ attributes: [String: String],
        platform: SNSPlatform = .apns
    ) throws -> [String: String] {
        let message = try Self.message("m", attributes, platform: platform)
        return Dictionary(uniqueKeysWithValues: message.headers.fields.map { ($0.name.rawValue, $0.value) })
    }

    @Test("a plain text becomes an alert that lives four weeks")
    func plain() throws {
        let message = try Self.message("寿司 \"x\"")
        #expect(message.payload.text == #"{"aps":{"alert":"寿司 \"x\""}}"#)
        #expect(message.deadline == Self.time + 2_419_200)
        #expect(
            try Self.headers([:])
                == ["apns-topic": "com.example.app", "apns-push-type": "alert", "apns-expiration": "1702419200"]
        )
    }

    @Test(
        "the platform's own entry goes as it is, and nobody else's",
        arguments: [
            (SNSPlatform.apns, #"{"aps":{"alert":"own"}}"#), (.apnsSandbox, #"{ "sandbox":1 }"#),
            (.macOS, #"{"aps":{"alert":"d"}}"#), (.apnsVoIP, #"{"aps":{"alert":"d"}}"#),
        ]
    )
    func structured(platform: SNSPlatform, payload: String) throws {
        let text = #"{"default":"d","APNS":"{\"aps\":{\"alert\":\"own\"}}","APNS_SANDBOX":"{ \"sandbox\":1 }"}"#
        #expect(try Self.message(text, isStructured: true, platform: platform).payload.text == payload)
    }

    @Test("the reserved attributes become headers")
    func headers() throws {
        let attributes = [
            "AWS.SNS.MOBILE.APNS.TTL": "60", "AWS.SNS.MOBILE.APNS.TOPIC": "com.example.other",
            "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "background", "AWS.SNS.MOBILE.APNS.PRIORITY": "5",
            "AWS.SNS.MOBILE.APNS.COLLAPSE_ID": "score", "device_id": "x",
        ]
        #expect(
            try Self.headers(attributes)
                == [
                    "apns-topic": "com.example.other", "apns-push-type": "background", "apns-priority": "5",
                    "apns-expiration": "1700000060", "apns-collapse-id": "score",
                ]
        )
    }

    @Test("the lifetime is each platform's own, and none means one attempt")
    func lifetime() throws {
        let attributes = ["AWS.SNS.MOBILE.APNS_SANDBOX.TTL": "0", "AWS.SNS.MOBILE.APNS.TTL": "7"]
        #expect(try Self.headers(attributes, platform: .apnsSandbox)["apns-expiration"] == "0")
        #expect(try Self.message("m", attributes, platform: .apnsSandbox).deadline == nil)
        #expect(try Self.headers(attributes)["apns-expiration"] == "1700000007")
        #expect(try Self.headers(attributes, platform: .macOS)["apns-expiration"] == "1702419200")
    }

    @Test("the topic has the suffix of the push type")
    func topic() throws {
        #expect(try Self.headers([:], platform: .apnsVoIP)["apns-topic"] == "com.example.app.voip")
        let activity = ["AWS.SNS.MOBILE.APNS.PUSH_TYPE": "liveactivity"]
        #expect(try Self.headers(activity)["apns-topic"] == "com.example.app.push-type.liveactivity")
    }

    @Test("a payload that only wakes the app is a background push")
    func background() throws {
        for (payload, type) in [
            (#"{\"aps\":{\"content-available\":1}}"#, "background"),
            (#"{\"aps\":{\"content-available\":1,\"badge\":1}}"#, "alert"), (#"{\"aps\":{}}"#, "alert"),
        ] {
            let message = try Self.message("{\"APNS\":\"\(payload)\"}", isStructured: true)
            #expect(message.headers.pushType.rawValue == type)
            #expect(message.headers.priority == (type == "background" ? .powerConsiderate : nil))
        }
    }

    @Test(
        "values that Apple would not take are refused with name, rule and value",
        arguments: [
            ("APNS.TTL", "-1", "expected seconds, 0 or more, got -1"),
            ("APNS.TTL", "soon", "expected seconds, 0 or more, got soon"),
            (
                "APNS.PUSH_TYPE", "loud",
                "expected one of alert, background, voip, complication, fileprovider, location, liveactivity,"
                    + " pushtotalk, widgets, controls, mdm, got loud"
            ), ("APNS.PRIORITY", "7", "expected 10, 5 or 1, got 7"),
            ("APNS.COLLAPSE_ID", String(repeating: "c", count: 65), "expected at most 64 bytes of UTF-8, got 65 bytes"),
            (
                "APNS.TOPIC", "com/example",
                "expected ASCII letters, digits, '.', '-' and '_', got another character at offset 3"
            ),
        ]
    )
    func refused(name: String, value: String, text: String) {
        let error = TestCall.error { _ = try Self.headers(["AWS.SNS.MOBILE.\(name)": value]) }
        let message = "Invalid parameter: AWS.SNS.MOBILE.\(name) Reason: \(text)"
        #expect(error == SNSError(.invalidParameter, message))
    }

    @Test("bytes are no value of a header")
    func binary() {
        let attributes = ["AWS.SNS.MOBILE.APNS.TTL": MessageAttribute(dataType: "Binary", value: .binary([1]))]
        let error = TestCall.error { _ = try APNsAttributes(attributes, for: .apns) }
        #expect(error?.message.hasSuffix("expected a String or a Number, got Binary") == true)
    }

    @Test("a payload over Apple's limit is too long, and one that is no object is none")
    func payload() throws {
        func error(_ text: String, isStructured: Bool = false, _ platform: SNSPlatform) -> String? {
            TestCall.error { _ = try Self.message(text, isStructured: isStructured, platform: platform) }?.message
        }
        let frame = #"{"aps":{"alert":""}}"#.utf8.count
        let prefix = "Invalid parameter: Message Reason: Invalid notification for protocol"
        #expect(error(String(repeating: "a", count: 4096 - frame), .apns) == nil)
        #expect(error(String(repeating: "a", count: 4097 - frame), .apns) == "\(prefix) APNS: Notification is too long")
        #expect(error(String(repeating: "a", count: 5120 - frame), .apnsVoIP) == nil)
        #expect(
            error(String(repeating: "a", count: 5121 - frame), .apnsVoIP)
                == "\(prefix) APNS_VOIP: Notification is too long"
        )
        #expect(
            error(#"{"APNS":"[1]"}"#, isStructured: true, .apns)?
                .hasPrefix("\(prefix) APNS: Notification is not a JSON object") == true
        )
        let urgent = TestCall.error {
            _ = try Self.headers([
                "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "background", "AWS.SNS.MOBILE.APNS.PRIORITY": "10",
            ])
        }
        #expect(urgent?.message == "\(prefix) APNS: apns-priority: expected 5 for push type background, got 10")
    }

    @Test("the worker's own message reaches the phone as it was written")
    func worker() throws {
        let payload =
            #"{"aps": {"alert": {"title": "データ更新完了", "body": "新しい分析結果が利用可能です"}, "sound": "default", "badge": 1}, "device_id": "1cf67321", "action": "refresh_dashboard"}"#
        let text = try #require(
            String(
                validating: JSONValue.object(["default": "Dashboard updated", "APNS": .string(payload)]).json(),
                as: UTF8.self
            )
        )
        let message = try Self.message(text, isStructured: true, ["device_id": "1cf67321"])
        #expect(message.payload.text == payload)
        #expect(message.headers.pushType == .alert)
        #expect(message.headers.validate(payload: message.payload) == [])
    }
}
