// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Crypto
import CryptoExtras
import Foundation
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import SwiftASN1
import Testing
import TopicPosting
import Topics
import X509

@Suite("URLs that are subscribed to topics", .timeLimit(.minutes(20)))
struct TopicPostingTests {
    /// Verifies a document as AWS tells subscribers to, by the certificate alone.
    private static func verify(_ document: JSONValue, by certificatePEM: String) throws -> Bool {
        func text(_ name: String) -> String? {
            if case .string(let text)? = document[name] { text } else { nil }
        }
        let names =
            text("Type") == "Notification"
            ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
            : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        let signed = names.compactMap { name in text(name).map { "\(name)\n\($0)\n" } }.joined()
        let signature = try #require(text("Signature").flatMap { Data(base64Encoded: $0) })
        let certificate = try Certificate(pemEncoded: certificatePEM)
        let key = try #require(_RSA.Signing.PublicKey(certificate.publicKey))
        let rsa = _RSA.Signing.RSASignature(rawRepresentation: signature)
        if text("SignatureVersion") == "2" {
            return key.isValidSignature(rsa, for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
        }
        return key.isValidSignature(rsa, for: Insecure.SHA1.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
    }

    @Test(
        "get messages in documents that are signed, and verified by the certificate",
        arguments: TestStoreBackend.chosen
    )
    func wrapped(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                let subscription = try await stage.subscribe(stage.url(receiver))
                try await stage.post { [stage] in
                    let receipt = try await stage.publish(
                        SNSMessage(
                            text: "1:0, \u{1F363}",
                            subject: "Goal",
                            attributes: [
                                "kind": MessageAttribute(dataType: "String", value: .text("goal")),
                                "raw": MessageAttribute(dataType: "Binary", value: .binary([0, 255])),
                            ]
                        )
                    )
                    let request = try await receiver.next()
                    let arn = "arn:aws:sns:eu-west-1:123456789012:news"
                    #expect(request.text("x-amz-sns-message-type") == "Notification")
                    #expect(request.text("x-amz-sns-message-id") == receipt.message?.description)
                    #expect(request.text("x-amz-sns-topic-arn") == arn)
                    #expect(request.text("x-amz-sns-subscription-arn") == "\(arn):\(subscription.id)")
                    #expect(request.text("content-type") == "text/plain; charset=UTF-8")
                    #expect(request.text("user-agent") == "Amazon Simple Notification Service Agent")
                    #expect(request.text("host") == "hooks.example.com:\(receiver.port)")
                    let document = try JSONValue(json: request.body)
                    #expect(document["Message"] == "1:0, \u{1F363}")
                    #expect(document["Subject"] == "Goal")
                    #expect(document["Timestamp"] == "2026-01-01T00:00:00.000Z")
                    #expect(document["MessageAttributes"]?["kind"] == ["Type": "String", "Value": "goal"])
                    #expect(document["MessageAttributes"]?["raw"] == ["Type": "Binary", "Value": "AP8="])
                    #expect(
                        document["UnsubscribeURL"]
                            == .string(
                                "http://push.example.com/?Action=Unsubscribe&SubscriptionArn=\(arn):\(subscription.id)"
                            )
                    )
                    let identity = try await stage.signer.identity()
                    #expect(
                        document["SigningCertURL"]
                            == .string("http://push.example.com/certificates/\(identity.certificateFileName)")
                    )
                    #expect(document["SignatureVersion"] == "1")
                    #expect(try Self.verify(document, by: identity.certificatePEM))
                    #expect(try await stage.settled() == [.done])

                    _ = try await stage.store.changeTopic(TopicStage.topic) { $0.attributes["SignatureVersion"] = "2" }
                    try await stage.publish("again")
                    let second = try JSONValue(json: try await receiver.next().body)
                    #expect(second["SignatureVersion"] == "2")
                    #expect(try Self.verify(second, by: identity.certificatePEM))
                    var forged = second
                    if case .object(var members) = second {
                        members["Message"] = "forged"
                        forged = .object(members)
                    }
                    #expect(try !Self.verify(forged, by: identity.certificatePEM))
                    #expect(try await stage.settled() == [.done])
                }
                #expect(try await stage.waiting(after: 9999) == [])
            }
        }
    }

    @Test("are asked first, and get nothing until they have said yes", arguments: TestStoreBackend.chosen)
    func confirmation(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                let pending = try await stage.subscribe(stage.url(receiver), isConfirmed: false)
                try await stage.post { [stage] in
                    let message = TopicMessage(
                        id: APNsID(high: 1, low: 2),
                        topic: TopicStage.topic,
                        content: try HTTPSubscriptionMessage.confirmation.content,
                        createdAt: stage.now.date
                    )
                    try await stage.store.enqueue(
                        message,
                        about: pending.id,
                        to: stage.url(receiver),
                        now: stage.now.date
                    )
                    let request = try await receiver.next()
                    #expect(request.text("x-amz-sns-message-type") == "SubscriptionConfirmation")
                    #expect(request.text("x-amz-sns-subscription-arn").isEmpty)
                    let document = try JSONValue(json: request.body)
                    #expect(try Self.verify(document, by: try await stage.signer.identity().certificatePEM))
                    let token = stage.tokens.token(of: pending.id)
                    #expect(document["Token"] == .string(token))
                    #expect(
                        document["SubscribeURL"]
                            == .string(
                                "http://push.example.com/?Action=ConfirmSubscription&TopicArn="
                                    + "arn:aws:sns:eu-west-1:123456789012:news&Token=\(token)"
                            )
                    )
                    #expect(try await stage.publish(SNSMessage(text: "too early")).urls == 0)
                    let confirmed = try await stage.store.confirmSubscription(
                        to: TopicStage.topic,
                        token: ConfirmationTokens.digest(of: token),
                        isAuthenticated: false
                    )
                    #expect(confirmed?.isConfirmed == true)
                    #expect(try await stage.settled() == [.done])
                    // What asks again comes too late.
                    try await stage.store.enqueue(
                        message,
                        about: pending.id,
                        to: stage.url(receiver),
                        now: stage.now.date
                    )
                    #expect(try await stage.settled() == [.done])
                    try await stage.publish("now")
                    #expect(try JSONValue(json: try await receiver.next().body)["Message"] == "now")
                }
            }
        }
    }

    @Test("are sent the token that confirms them while a new master key seals and the old one is still there")
    func rotatedKey() async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                let pending = try await stage.subscribe(stage.url(receiver), isConfirmed: false)
                let token = stage.tokens.token(of: pending.id)
                stage.masterKey = stage.masterKey.succeeded(by: .generate())
                #expect(stage.tokens.token(of: pending.id) != token)
                try await stage.post { [stage] in
                    let message = TopicMessage(
                        id: APNsID(high: 1, low: 2),
                        topic: TopicStage.topic,
                        content: try HTTPSubscriptionMessage.confirmation.content,
                        createdAt: stage.now.date
                    )
                    let url = stage.url(receiver)
                    try await stage.store.enqueue(message, about: pending.id, to: url, now: stage.now.date)
                    #expect(try JSONValue(json: try await receiver.next().body)["Token"] == .string(token))
                    #expect(try await stage.settled() == [.done])
                }
            }
        }
    }

    @Test(
        "get the text alone where they want it raw, and only what passes their filter",
        arguments: TestStoreBackend.chosen
    )
    func raw(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                let filter = SubscriptionFilter(policy: #"{"kind":["goal"]}"#, scope: .messageAttributes)
                try await stage.subscribe(
                    "http://anna:s%3Acret@hooks.example.com:\(receiver.port)/raw",
                    filter: filter,
                    attributes: ["RawMessageDelivery": "true"]
                )
                try await stage.post { [stage] in
                    for (kind, text) in [("corner", "no"), ("goal", "yes")] {
                        let structured = #"{"default":"default","http":"\#(text)"}"#
                        try await stage.publish(
                            SNSMessage(
                                text: structured,
                                attributes: ["kind": MessageAttribute(dataType: "String", value: .text(kind))],
                                structure: try MessageStructure(json: structured)
                            )
                        )
                    }
                    let request = try await receiver.next()
                    #expect(String(decoding: request.body, as: UTF8.self) == "yes")
                    #expect(request.text("x-amz-sns-rawdelivery") == "true")
                    #expect(request.text("authorization") == "Basic \(Data("anna:s:cret".utf8).base64EncodedString())")
                    #expect(try await stage.settled() == [.done])
                }
                #expect(try await stage.waiting(after: 9999) == [])
            }
        }
    }

    @Test("get their sealed user and password as the header Authorization", arguments: TestStoreBackend.chosen)
    func user(store: TestStoreBackend) async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: store) { stage in
                let subscription = try await stage.subscribe(stage.url(receiver), user: "anna:s%3Acret")
                #expect(throws: MasterKeyError.self) { try MasterKey.generate().user(of: subscription) }
                try await stage.post { [stage] in
                    try await stage.publish("now")
                    let request = try await receiver.next()
                    #expect(request.text("authorization") == "Basic \(Data("anna:s:cret".utf8).base64EncodedString())")
                    #expect(try await stage.settled() == [.done])
                }
            }
        }
    }

    @Test("that were removed get nothing of what waited for them")
    func removed() async throws {
        try await HookReceiver.run { receiver in
            try await TopicStage.open(on: .sqlite) { stage in
                let subscription = try await stage.subscribe(stage.url(receiver))
                try await stage.publish("a", "b")
                try await stage.store.unsubscribe(subscription.id)
                try await stage.post { [stage] in
                    let ends = try await stage.settled(2)
                    #expect(ends == [.done, .done])
                }
                #expect(try await stage.waiting(after: 9999) == [])
            }
        }
    }

    @Test(
        "share one signer, which is made anew only where the master key does not open it",
        arguments: TestStoreBackend.chosen
    )
    func signer(store: TestStoreBackend) async throws {
        try await TopicStage.open(on: store) { stage in
            let signers = [stage.signer, stage.signer]
            async let first = signers[0].identity()
            async let second = signers[1].identity()
            let names = try await [first.certificateFileName, second.certificateFileName]
            #expect(Set(names).count == 1)
            #expect(try await stage.signer.identity().certificateFileName == names[0])
            let stored = try #require(try await stage.store.deliveryIdentity())
            #expect(!String(decoding: stored.sealedKey, as: UTF8.self).contains("PRIVATE KEY"))
            stage.masterKey = .generate()
            let other = try await stage.signer.identity().certificateFileName
            #expect(other != names[0])
            #expect(try await stage.signer.identity().certificateFileName == other)
            // Whose key was replaced has another master key than whoever did it: it says so, and leaves the new one alone.
            for _ in 0..<2 {
                let error = await #expect(throws: SNSError.self) { try await signers[0].identity() }
                #expect(error?.message.contains("A process with another master key replaced") == true)
            }
            #expect(try await stage.signer.identity().certificateFileName == other)
        }
    }
}
