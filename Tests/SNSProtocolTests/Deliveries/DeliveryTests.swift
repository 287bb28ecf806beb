// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import SNSProtocol

@Suite("Deliveries to URLs", .timeLimit(.minutes(20)))
struct DeliveryTests {
    private static let id = "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324"
    private static let time: Int64 = 1_335_920_046_055

    private static func notification(
        subject: String? = "My <first>",
        _ attributes: [String: MessageAttribute] = [:]
    ) throws
        -> DeliveryDocument
    {
        let message = SNSMessage(
            text: "Hello\n\"寿司\" / ok",
            subject: subject,
            attributes: attributes,
            structure: nil,
            groupID: nil,
            deduplicationID: nil
        )
        return DeliveryDocument(
            message,
            subscription: try SubscriptionARN(TestCall.subscription, region: nil),
            protocolName: "https",
            messageID: Self.id,
            publishedAt: Self.time,
            unsubscribeURL: "https://a/?Action=Unsubscribe&x=1"
        )
    }

    private static func confirmation(isRemoval: Bool = false) throws -> DeliveryDocument {
        let subscription = try SubscriptionARN(TestCall.subscription, region: nil)
        return DeliveryDocument(
            confirming: subscription.topic,
            removed: isRemoval ? subscription : nil,
            token: "2336412f37",
            subscribeURL: "https://a/?Action=ConfirmSubscription",
            messageID: Self.id,
            publishedAt: Self.time
        )
    }

    private static func identity() async throws -> SigningIdentity {
        let output = try await PythonEnvironment.run("deliveries.py", ["identity"])
        let texts = try JSONDecoder().decode([String: String].self, from: output)
        return try SigningIdentity(
            keyPEM: #require(texts["key"]),
            certificatePEM: #require(texts["certificate"]),
            baseURL: "https://push.example.com/sns"
        )
    }

    @Test("what is signed are names and values, a line each")
    func stringToSign() throws {
        #expect(
            try Self.notification().stringToSign == """
                Message
                Hello
                "寿司" / ok
                MessageId
                \(Self.id)
                Subject
                My <first>
                Timestamp
                2012-05-02T00:54:06.055Z
                TopicArn
                \(TestCall.topic)
                Type
                Notification

                """
        )
        #expect(try !Self.notification(subject: nil).stringToSign.contains("Subject"))
        let lines = try Self.confirmation().stringToSign.split(separator: "\n")
        #expect(
            lines.suffix(10).map(String.init) == [
                "SubscribeURL", "https://a/?Action=ConfirmSubscription", "Timestamp", "2012-05-02T00:54:06.055Z",
                "Token",
                "2336412f37", "TopicArn", TestCall.topic, "Type", "SubscriptionConfirmation",
            ]
        )
    }

    @Test("subscribers verify what is signed, with either version, and nothing that was changed")
    func verified() async throws {
        let identity = try await Self.identity()
        let attributes = [
            "text": MessageAttribute(dataType: "String", value: .text("x")),
            "bytes": MessageAttribute(dataType: "Binary", value: .binary([0, 255])),
        ]
        let documents = [
            try Self.notification(attributes), try Self.notification(subject: nil), try Self.confirmation(),
            try Self.confirmation(isRemoval: true),
        ]
        var bodies: [String] = []
        for document in documents {
            for version in SigningIdentity.SignatureVersion.allCases {
                let request = try document.request(signedBy: identity, version: version, policy: DeliveryPolicy())
                bodies.append(String(decoding: request.body, as: UTF8.self))
            }
        }
        let changed = bodies.map { $0.replacingOccurrences(of: "2012-05-02", with: "2012-05-03") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("deliveries-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let input: [Any] = [identity.certificatePEM, bodies + changed]
        try JSONSerialization.data(withJSONObject: input).write(to: file)
        let output = try await PythonEnvironment.run("deliveries.py", ["verify", file.path])
        let verdicts = try JSONDecoder().decode([Bool].self, from: output)
        #expect(verdicts == bodies.map { _ in true } + changed.map { _ in false })
    }

    @Test("a document holds what SNS' documents hold")
    func document() async throws {
        let identity = try await Self.identity()
        let attributes = ["raw": MessageAttribute(dataType: "Binary", value: .binary([0, 255]))]
        let request = try Self.notification(attributes)
            .request(signedBy: identity, version: .sha256, policy: DeliveryPolicy())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "Message", "MessageAttributes", "MessageId", "Signature", "SignatureVersion", "SigningCertURL",
                "Subject",
                "Timestamp", "TopicArn", "Type", "UnsubscribeURL",
            ]
        )
        #expect(object["Message"] as? String == "Hello\n\"寿司\" / ok")
        #expect(object["SignatureVersion"] as? String == "2")
        #expect(
            object["MessageAttributes"] as? [String: [String: String]] == ["raw": ["Type": "Binary", "Value": "AP8="]]
        )
        #expect(object["SigningCertURL"] as? String == identity.certificateURL)
        #expect(identity.certificateURL == "https://push.example.com/sns/\(identity.certificateFileName)")
        #expect(identity.certificateFileName.hasPrefix("SimpleNotificationService-"))
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "x-amz-sns-message-type: Notification", "x-amz-sns-message-id: \(Self.id)",
                "x-amz-sns-topic-arn: \(TestCall.topic)", "x-amz-sns-subscription-arn: \(TestCall.subscription)",
                "Content-Type: text/plain; charset=UTF-8", "User-Agent: Amazon Simple Notification Service Agent",
            ]
        )
    }

    @Test("confirmations say how, and have no subscription yet")
    func confirmations() async throws {
        let identity = try await Self.identity()
        let request = try Self.confirmation().request(signedBy: identity, version: .sha1, policy: DeliveryPolicy())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        #expect(object["Token"] as? String == "2336412f37")
        #expect(object["SubscribeURL"] as? String == "https://a/?Action=ConfirmSubscription")
        #expect(object["UnsubscribeURL"] == nil)
        #expect(
            object["Message"] as? String == "You have chosen to subscribe to the topic \(TestCall.topic).\nTo confirm"
                + " the subscription, visit the SubscribeURL included in this message."
        )
        #expect(!request.headers.contains { $0.name == "x-amz-sns-subscription-arn" })
        #expect(request.headers[0].value == "SubscriptionConfirmation")
    }

    @Test("a raw delivery is the text alone")
    func raw() throws {
        let request = try Self.notification().rawRequest(policy: DeliveryPolicy())
        #expect(String(decoding: request.body, as: UTF8.self) == "Hello\n\"寿司\" / ok")
        #expect(request.headers.contains(SNSAttribute(name: "x-amz-sns-rawdelivery", value: "true")))
    }

    @Test("a key and a certificate that do not belong together sign nothing, and are not repeated")
    func mismatch() async throws {
        func texts() async throws -> [String: String] {
            try JSONDecoder().decode(
                [String: String].self,
                from: try await PythonEnvironment.run("deliveries.py", ["identity"])
            )
        }
        let (own, other) = (try await texts(), try await texts())
        let key = try #require(own["key"])
        let cases = [
            (key, other["certificate"] ?? "", "is not one for the key that signs"), (key, "x", "must be one in PEM"),
            ("x", own["certificate"] ?? "", "must be an RSA key of 2,048 bits in PEM"),
        ]
        for (key, certificate, text) in cases {
            let error = TestCall.error {
                _ = try SigningIdentity(keyPEM: key, certificatePEM: certificate, baseURL: "https://a")
            }
            #expect(error?.code == .internalError)
            #expect(error?.message.contains(text) == true)
            #expect(error?.message.contains("BEGIN") == false)
        }
    }
}
