// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import Testing

/// The lines that a stream answered.
struct StreamAnswers {
    let lines: [JSONValue]

    init(_ text: String) {
        self.lines = text.split(separator: "\n").compactMap { try? JSONValue(json: Array($0.utf8)) }
    }

    /// The lines of one type.
    func ofType(_ type: String) -> [JSONValue] { self.lines.filter { $0["type"]?.text == type } }

    /// The outcomes by the numbers of their lines; a line with two has the word "twice".
    var outcomes: [Int: String] {
        let pairs = self.ofType("outcome").compactMap { line in
            line["line"]?.number.map { ($0, line["reason"]?.text ?? line["outcome"]?.text ?? "none") }
        }
        return Dictionary(pairs) { _, _ in "twice" }
    }

    /// The codes with which lines were refused, by their numbers.
    var refusals: [Int: String] {
        let pairs = self.ofType("rejected").compactMap { line in
            line["line"]?.number.map { ($0, line["problem"]?["code"]?.text ?? "none") }
        }
        return Dictionary(pairs) { _, _ in "twice" }
    }

    /// The number up to which lines were acknowledged.
    var through: Int? { self.ofType("accepted").last?["acceptedThrough"]?.number }

    /// The last line, if it ends the stream.
    var end: JSONValue? { self.lines.last.flatMap { $0["type"]?.text == "end" ? $0 : nil } }
}

extension TestAPI {
    static let streamPath = "/v1/apps/\(Self.app)/notifications:stream"

    /// Sends a whole stream, with a delivery beside it that settles everything.
    ///
    /// - Parameters:
    ///   - body: the lines.
    ///   - query: how it begins.
    ///   - outcome: what becomes of each target.
    /// - Returns: what was answered.
    func stream(
        _ body: ByteBuffer,
        query: String = "",
        outcome: @escaping @Sendable (Int, Target) -> Outcome = { _, _ in .delivered }
    ) async throws -> StreamAnswers {
        let delivery = FakeDelivery(store: self.store)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await delivery.settleAll(outcome) }
            defer { group.cancelAll() }
            let headers: HTTPFields = [.contentType: "application/x-ndjson"]
            let answer = try await self.call(.post, Self.streamPath + query, bytes: body, headers: headers)
            #expect(answer.status == 200, "\(answer.text)")
            return StreamAnswers(answer.text)
        }
    }

    /// Sends lines of text.
    func stream(
        _ lines: [String],
        query: String = "",
        outcome: @escaping @Sendable (Int, Target) -> Outcome = { _, _ in .delivered }
    ) async throws -> StreamAnswers {
        try await self.stream(ByteBuffer(string: lines.map { $0 + "\n" }.joined()), query: query, outcome: outcome)
    }
}

/// A line with a token of the number's own.
func streamLine(_ number: Int, _ more: String = "") -> String {
    #"{"token":"\#(String(format: "%064x", number))","payload":{"n":\#(number)}\#(more)}"#
}
