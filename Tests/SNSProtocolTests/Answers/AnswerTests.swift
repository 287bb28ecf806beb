// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import SNSProtocol

@Suite("Answers")
struct AnswerTests {
    private static func text(_ result: SNSResult) -> String {
        String(decoding: SNSResponse(result, requestID: "r").body, as: UTF8.self)
    }

    private static func wrapped(_ name: String, _ result: String) -> String {
        "<\(name)Response xmlns=\"http://sns.amazonaws.com/doc/2010-03-31/\">\(result)"
            + "<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></\(name)Response>"
    }

    @Test("operations without output have no result, but those on tags have an empty one")
    func done() {
        #expect(Self.text(.done(.deleteTopic)) == Self.wrapped("DeleteTopic", ""))
        #expect(Self.text(.done(.tagResource)) == Self.wrapped("TagResource", "<TagResourceResult/>"))
        #expect(Self.text(.done(.untagResource)) == Self.wrapped("UntagResource", "<UntagResourceResult/>"))
    }

    @Test("empty lists are there, and a next token only where a page follows")
    func lists() throws {
        #expect(
            Self.text(.topics([], nextToken: nil))
                == Self.wrapped("ListTopics", "<ListTopicsResult><Topics/></ListTopicsResult>")
        )
        let topic = try TopicARN(TestCall.topic, region: nil)
        #expect(
            Self.text(.topics([topic], nextToken: "n"))
                == Self.wrapped(
                    "ListTopics",
                    "<ListTopicsResult><Topics><member><TopicArn>\(topic)</TopicArn></member></Topics>"
                        + "<NextToken>n</NextToken></ListTopicsResult>"
                )
        )
        #expect(
            Self.text(.publishedBatch(successful: [], failed: []))
                == Self.wrapped("PublishBatch", "<PublishBatchResult><Successful/><Failed/></PublishBatchResult>")
        )
    }

    @Test("an error has its type, its code, its sentence and its status")
    func error() {
        let answer = SNSResponse(SNSError(.notFound, "Topic <x> & \"y\" does not exist"), requestID: "r")
        #expect(answer.status == 404)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == "<ErrorResponse xmlns=\"http://sns.amazonaws.com/doc/2010-03-31/\"><Error><Type>Sender</Type>"
                + "<Code>NotFound</Code><Message>Topic &lt;x&gt; &amp; &quot;y&quot; does not exist</Message></Error>"
                + "<RequestId>r</RequestId></ErrorResponse>"
        )
        let own = SNSResponse(SNSError(.internalError, "x"), requestID: "r")
        #expect(own.status == 500)
        #expect(String(decoding: own.body, as: UTF8.self).contains("<Type>Receiver</Type>"))
    }

    @Test("what XML cannot carry is replaced, and a carriage return survives")
    func hostile() {
        let answer = SNSResponse(
            SNSError(.invalidParameter, "a\u{0}b\u{1B}c\r\nd\u{FFFE}e\u{FFFF}😀]]>"),
            requestID: "r"
        )
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("<Message>a\u{FFFD}b\u{FFFD}c&#xD;\nd\u{FFFD}e\u{FFFD}😀]]&gt;</Message>"))
    }

    @Test("a subscription that is not confirmed has no ARN yet")
    func pending() throws {
        #expect(Self.text(.subscribed(nil)).contains("<SubscriptionArn>pending confirmation</SubscriptionArn>"))
        let arn = try SubscriptionARN(TestCall.subscription, region: nil)
        let pending = SubscriptionDescription(subscription: arn, target: .url("http://a/"), isPending: true)
        let list = Self.text(.subscriptions([pending], nextToken: nil))
        #expect(list.contains("<SubscriptionArn>PendingConfirmation</SubscriptionArn>"))
    }
}
