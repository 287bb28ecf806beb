// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import NIOCore

/// The lines of a stream, and what is told of them.
struct StreamLines: Sendable {
    /// How many lines are sent at once, and how long apart.
    private static let piece = 5
    private static let interval: Duration = .milliseconds(200)

    private let lines: [String]

    /// Lines to tokens, each with a payload of its own.
    init(name: String, tokens: [String], expiration: Int) {
        self.lines = tokens.enumerated().map { index, token in
            let payload = #"{"aps":{"alert":"\#(name) \#(index + 1)"}}"#
            return #"{"token":"\#(token)","payload":\#(payload),"expiration":\#(expiration)}"# + "\n"
        }
    }

    var count: Int { self.lines.count }

    /// The lines from a number on, one after another.
    func paced(from first: Int) -> Paced { Paced(rest: self.lines.dropFirst(first - 1)) }

    /// Lines that come a few at a time.
    struct Paced: AsyncSequence, Sendable {
        let rest: ArraySlice<String>

        struct AsyncIterator: AsyncIteratorProtocol {
            var rest: ArraySlice<String>

            mutating func next() async throws -> ByteBuffer? {
                guard !self.rest.isEmpty else { return nil }
                try await Task.sleep(for: StreamLines.interval)
                let piece = self.rest.prefix(StreamLines.piece)
                self.rest = self.rest.dropFirst(piece.count)
                return ByteBuffer(string: piece.joined())
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self.rest) }
    }

    /// A line that the server tells.
    struct Told: Decodable {
        let type: String
        let accepted: Int?
        let through: Int?
        let line: Int?
        let apnsID: String?
        let outcome: String?
        let reason: String?
        let code: String?
    }

    /// What became of a line.
    struct Answer: Hashable, Sendable {
        let apnsID: APNsID
        let outcome: String

        /// Why it was not delivered.
        let cause: String?

        init?(_ told: Told) {
            guard let id = told.apnsID.flatMap({ APNsID(canonical: $0) }), let outcome = told.outcome else {
                return nil
            }
            self.apnsID = id
            self.outcome = outcome
            self.cause = told.reason ?? told.code
        }
    }
}
