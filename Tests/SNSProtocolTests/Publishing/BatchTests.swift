// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Batches")
struct BatchTests {
    private static func messages(
        _ entries: [(id: String, message: String)],
        limits: SNSLimits = .sns
    ) throws -> [String] {
        var fields = ["TopicArn": TestCall.topic]
        if entries.isEmpty { fields["PublishBatchRequestEntries"] = "" }
        for (index, entry) in entries.enumerated() {
            fields["PublishBatchRequestEntries.member.\(index + 1).Id"] = entry.id
            fields["PublishBatchRequestEntries.member.\(index + 1).Message"] = entry.message
        }
        guard case .publishBatch(let request) = try TestCall.read("PublishBatch", fields, limits: limits) else {
            return []
        }
        return try request.messages(limits: limits).map(\.message.text)
    }

    private static func error(_ entries: [(id: String, message: String)], limits: SNSLimits = .sns) -> SNSError? {
        TestCall.error { _ = try Self.messages(entries, limits: limits) }
    }

    @Test("ten entries are taken, none and eleven are not")
    func count() throws {
        let entries = (1...11).map { (id: "e\($0)", message: "m\($0)") }
        #expect(try Self.messages(Array(entries.prefix(10))).last == "m10")
        #expect(
            Self.error(entries)
                == SNSError(
                    .tooManyEntriesInBatchRequest,
                    "The batch request contains more entries than permissible."
                )
        )
        #expect(try Self.messages(entries, limits: .extended).count == 11)
        #expect(Self.error([])?.code == .emptyBatchRequest)
    }

    @Test("ids are distinct and short")
    func ids() {
        #expect(
            Self.error([("a", "m"), ("a", "m")])
                == SNSError(
                    .batchEntryIdsNotDistinct,
                    "Two or more batch entries in the request have the same Id."
                )
        )
        let long = String(repeating: "a", count: 81)
        #expect(Self.error([(String(repeating: "a", count: 80), "m")]) == nil)
        #expect(
            Self.error([(long, "m")])
                == SNSError(.invalidBatchEntryId, "The Id of a batch entry in the batch request is too long: \(long)")
        )
        for id in ["a b", "", "é"] {
            #expect(
                Self.error([(id, "m")])
                    == SNSError(
                        .invalidBatchEntryId,
                        "The Id of a batch entry in the batch request contains an impermissible character: \(id)"
                    )
            )
        }
    }

    @Test("the entries together are no longer than one message may be")
    func size() {
        let half = String(repeating: "a", count: 131_072)
        #expect(Self.error([("a", half), ("b", half)]) == nil)
        #expect(
            Self.error([("a", half), ("b", half), ("c", "c")])
                == SNSError(
                    .batchRequestTooLong,
                    "The length of all the messages put together is more than the limit."
                )
        )
    }

    @Test("a malformed entry fails the whole batch")
    func malformed() {
        #expect(Self.error([("a", "m"), ("b", "")])?.message == "Invalid parameter: Empty message")
    }
}
