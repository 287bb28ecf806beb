// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Policies of deliveries")
struct DeliveryPolicyTests {
    private static func delays(_ retry: String) throws -> [Int] {
        let policy = try #require(DeliveryPolicy(json: #"{"healthyRetryPolicy":{\#(retry)}}"#))
        #expect(policy.retry.delay(beforeRetry: policy.retry.retries + 1) == nil)
        #expect(policy.retry.delay(beforeRetry: 0) == nil)
        return (0..<policy.retry.retries).compactMap { policy.retry.delay(beforeRetry: $0 + 1) }
    }

    @Test("without a policy there are three repetitions, 20 seconds apart")
    func defaults() {
        let retry = DeliveryPolicy().retry
        #expect((1...4).map(retry.delay) == [20, 20, 20, nil])
    }

    @Test(
        "delays grow as the policy says",
        arguments: [
            (#""numRetries":0"#, []), (#""numRetries":1,"minDelayTarget":5,"maxDelayTarget":50"#, [5]),
            (
                #""numRetries":8,"minDelayTarget":10,"maxDelayTarget":40,"numNoDelayRetries":2,"numMinDelayRetries":1,"numMaxDelayRetries":1"#,
                [0, 0, 10, 10, 20, 30, 40, 40]
            ), (#""numRetries":4,"minDelayTarget":1,"maxDelayTarget":7,"backoffFunction":"arithmetic""#, [1, 2, 4, 7]),
            (#""numRetries":4,"minDelayTarget":1,"maxDelayTarget":8,"backoffFunction":"geometric""#, [1, 2, 4, 8]),
            (#""numRetries":4,"minDelayTarget":1,"maxDelayTarget":8,"backoffFunction":"exponential""#, [1, 2, 4, 8]),
            (#""numRetries":3,"minDelayTarget":60"#, [60, 60, 60]), (#""numRetries":2,"maxDelayTarget":5"#, [5, 5]),
        ] as [(String, [Int])]
    )
    func growth(retry: String, delays: [Int]) throws {
        #expect(try Self.delays(retry) == delays)
    }

    @Test("delays never leave their bounds, and never shrink", arguments: RetryPolicy.Backoff.allCases)
    func bounds(backoff: RetryPolicy.Backoff) throws {
        let delays = try Self.delays(
            #""numRetries":100,"minDelayTarget":3,"maxDelayTarget":3600,"backoffFunction":"\#(backoff.rawValue)""#
        )
        #expect(delays.first == 3)
        #expect(delays.last == 3600)
        #expect(delays == delays.sorted())
    }

    @Test(
        "what is no policy",
        arguments: [
            "", "[]", #"{"http":1}"#, #"{"http":{},"x":{}}"#, #"{"foo":{}}"#, #"{"healthyRetryPolicy":{"foo":1}}"#,
            #"{"healthyRetryPolicy":{"numRetries":101}}"#, #"{"healthyRetryPolicy":{"numRetries":"3"}}"#,
            #"{"healthyRetryPolicy":{"minDelayTarget":0}}"#, #"{"healthyRetryPolicy":{"maxDelayTarget":3601}}"#,
            #"{"healthyRetryPolicy":{"minDelayTarget":30,"maxDelayTarget":20}}"#,
            #"{"healthyRetryPolicy":{"numRetries":2,"numNoDelayRetries":3}}"#,
            #"{"healthyRetryPolicy":{"backoffFunction":"random"}}"#, #"{"throttlePolicy":{"maxReceivesPerSecond":0}}"#,
            #"{"requestPolicy":{"headerContentType":"text/plain\r\nX: y"}}"#, #"{"disableSubscriptionOverrides":true}"#,
        ]
    )
    func refused(json: String) {
        #expect(DeliveryPolicy(json: json) == nil)
    }

    @Test("a subscription's policy counts where it says something, unless its topic forbids that")
    func overridden() throws {
        let topic = try #require(
            DeliveryPolicy(
                json:
                    #"{"http":{"defaultHealthyRetryPolicy":{"numRetries":9},"defaultThrottlePolicy":{"maxReceivesPerSecond":7}}}"#
            )
        )
        let own = try #require(DeliveryPolicy(json: #"{"requestPolicy":{"headerContentType":"application/json"}}"#))
        let both = topic.overridden(by: own)
        #expect(both.retry.retries == 9)
        #expect(both.maximumPerSecond == 7)
        #expect(both.contentType == "application/json")
        let strict = try #require(DeliveryPolicy(json: #"{"http":{"disableSubscriptionOverrides":true}}"#))
        #expect(strict.overridden(by: own) == strict)
        #expect(topic.topicJSON.contains(#""defaultThrottlePolicy":{"maxReceivesPerSecond":7}"#))
        #expect(try #require(DeliveryPolicy(json: topic.topicJSON)).retry == topic.retry)
    }
}
