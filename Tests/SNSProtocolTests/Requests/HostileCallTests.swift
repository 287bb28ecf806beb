// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import SNSProtocol

@Suite("Calls that somebody has damaged")
struct HostileCallTests {
    /// Changes, removes and doubles bytes here and there.
    private static func damaged(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...6) where !bytes.isEmpty {
            let index = bytes.indices.randomElement() ?? 0
            switch Int.random(in: 0..<4) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes.randomElement() ?? 0, at: index)
            default:
                let end = min(bytes.count, index + Int.random(in: 1...40))
                bytes.insert(contentsOf: bytes[index..<end], at: bytes.indices.randomElement() ?? 0)
            }
        }
        return bytes
    }

    @Test("are read or refused, and the refusal is an answer", arguments: SignatureVectors.botocore.requests)
    func calls(vector: SignatureVectors.Request) throws {
        for _ in 0..<100 {
            do {
                let form = try FormFields(Self.damaged(vector.body), source: .body)
                let call = try SNSQueryRequest(form, in: SNSQueryRequest.Context(region: "ap-northeast-1"))
                switch call.request {
                case .publish(let request):
                    _ = try request.parameters.message(to: request.target, limits: .sns)
                case .publishBatch(let request): _ = try request.messages(limits: .sns)
                default: break
                }
            } catch {
                #expect((400...404).contains(error.code.status))
                #expect(error.message.utf8.count < 4000)
                #expect(SNSResponse(error, requestID: "r").status == error.code.status)
            }
        }
    }

    @Test("are not verified", arguments: SignatureVectors.botocore.requests)
    func signatures(vector: SignatureVectors.Request) throws {
        let vectors = SignatureVectors.botocore
        for _ in 0..<50 {
            let request = vector.signed { vector in
                for index in vector.headers.indices where vector.headers[index][0] == "Authorization" {
                    vector.headers[index][1] = String(decoding: Self.damaged(vector.headers[index][1]), as: UTF8.self)
                }
                if vector.method == "GET" { vector.query = String(decoding: Self.damaged(vector.query), as: UTF8.self) }
            }
            let error = TestCall.error {
                guard let signature = try RequestSignature.read(from: request) else { throw SignatureVerifier.unsigned }
                let credential = vectors.credential(sessionToken: vector.sessionToken)
                try SignatureVerifier().verify(signature, of: request, with: credential, now: vectors.time)
            }
            // Space, commas and the case of digits mean nothing; whatever else was changed is noticed.
            guard error == nil else { continue }
            let read = try #require(try RequestSignature.read(from: request))
            let original = try #require(try RequestSignature.read(from: vector.signed()))
            #expect(read == original)
        }
    }

    private static let marks =
        "a" + String(repeating: "\u{301}", count: 60_000) + String(repeating: "\u{316}", count: 60_000)

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            "MARKS=1", "Action=MARKS", "Action=DeleteTopic&TopicArn=MARKS", "Action=Publish&MessageStructure=MARKS",
            "Action=CreatePlatformApplication&Platform=MARKS", "Action=SetTopicAttributes&AttributeName=MARKS",
            "Action=Publish&MARKS=1&Version=2010-03-31",
            "Action=CreateTopic&Name=news&Attributes.entry.1.key=MARKS&Attributes.entry.1.value=1",
            "Action=Publish&TopicArn=arn&Message=x&MessageAttributes.entry.1.Name=a"
                + "&MessageAttributes.entry.1.Value.DataType=MARKS&MessageAttributes.entry.1.Value.StringValue=1",
        ]
    ) func `a call with a long run of combining marks is rejected at once`(body: String) throws {
        let body = body.replacingOccurrences(of: "MARKS", with: Self.marks)
        #expect(throws: SNSError.self) {
            let form = try FormFields(Array(body.utf8), source: .body)
            let call = try SNSQueryRequest(form, in: SNSQueryRequest.Context(region: "ap-northeast-1"))
            guard case .publish(let request) = call.request else { return }
            _ = try request.parameters.message(to: request.target, limits: .sns)
        }
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            #"{"a":["MARKS"]}"#, #"{"a":[{"prefix":"MARKS"}]}"#, #"{"a":[{"anything-but":["MARKS"]}]}"#,
            #"{"a":[{"equals-ignore-case":"MARKS"}]}"#,
        ]
    ) func `a filter policy has no long run of combining marks`(policy: String) {
        let policy = policy.replacingOccurrences(of: "MARKS", with: Self.marks)
        #expect(FilterHarness.fault(policy, .messageBody)?.contains("30 combining marks") == true)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [#"["MARKS",1]"#, #"[">",1,"MARKS",2]"#])
    func `an operator of a filter policy has no long run of combining marks`(terms: String) {
        let terms = terms.replacingOccurrences(of: "MARKS", with: Self.marks)
        #expect(FilterHarness.fault(#"{"a":[{"numeric":\#(terms)}]}"#, .messageBody)?.contains("numeric range") == true)
    }

    @Test(.timeLimit(.minutes(20))) func `the push type of a message has no long run of combining marks`() {
        let value = MessageAttribute(dataType: "String", value: .text(Self.marks))
        let error = TestCall.error { _ = try APNsAttributes(["AWS.SNS.MOBILE.APNS.PUSH_TYPE": value], for: .apns) }
        #expect(error?.message.contains("30 combining marks") == true)
    }

    @Test(.timeLimit(.minutes(20))) func `a long run of combining marks matches no text of a filter policy`() throws {
        let rules = #"{"a":["x",{"equals-ignore-case":"y"}],"b":[{"anything-but":"x"}]}"#
        let policy = try FilterHarness.policy(rules, .messageBody)
        for (a, isMatch) in [("x", true), (Self.marks, false)] {
            let body = #"{"a":"\#(a)","b":"\#(Self.marks)"}"#
            #expect(policy.matches(FilterableMessage(attributes: [:], body: body)) == isMatch)
        }
    }

    @Test("policies are compiled or refused")
    func policies() {
        let text =
            #"{"a":["x",5,null,{"prefix":"y"},{"numeric":[">",1,"<=",5e2]},{"anything-but":["p",1]}],"b.c":{"d":[{"exists":false}]},"$or":[{"e":[{"cidr":"10.0.0.0/8"}]},{"f":[{"suffix":"z"}]}]}"#
        let body = #"{"a":["x",5,[null]],"b":{"c":[{"d":1}]},"e":"10.1.1.1","b.c":{"f":{}}}"#
        for _ in 0..<3000 {
            let policy = try? FilterHarness.policy(String(decoding: Self.damaged(text), as: UTF8.self), .messageBody)
            let message = String(decoding: Self.damaged(body), as: UTF8.self)
            _ = policy?.matches(FilterableMessage(attributes: [:], body: message))
        }
        #expect(FilterHarness.fault(text, .messageBody) == nil)
    }

    @Test("leave no secret in a description")
    func redacted() throws {
        let fields = ["TopicArn": TestCall.topic, "Protocol": "https", "Endpoint": "https://me:pass@a.example/p?q"]
        let subscribe = try TestCall.read("Subscribe", fields)
        #expect("\(subscribe)".contains("https://a.example"))
        #expect(!"\(subscribe)".contains("pass"))
        let publish = try TestCall.read("Publish", ["TopicArn": TestCall.topic, "Message": "for your eyes"])
        #expect("\(publish)".contains("message of 13 bytes"))
        #expect(!"\(publish)".contains("eyes"))
        let confirm = try TestCall.read("ConfirmSubscription", ["TopicArn": TestCall.topic, "Token": "5ec2e7"])
        #expect(!"\(confirm)".contains("5ec2e7"))
        let request = SignedRequest(method: "GET", path: "/", query: "X-Amz-Signature=s3cret", headers: [])
        #expect("\(request)" == "GET /")
    }
}
