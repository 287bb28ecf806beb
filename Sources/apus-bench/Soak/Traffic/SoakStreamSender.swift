// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import CommandLineSupport
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// A named stream of lines, resumed after each disconnection until every line has its outcome.
final class SoakStreamSender: Sendable {
    private struct State {
        /// Up to which line the server has accepted.
        var through = 0
        var outcomes: [Int: StreamLines.Answer] = [:]
    }

    private let name: String
    private let lines: StreamLines
    private let state = Mutex(State())

    init(name: String, lines: StreamLines) {
        self.name = name
        self.lines = lines
    }

    /// The received outcomes, by line.
    var outcomes: [Int: StreamLines.Answer] { self.state.withLock(\.outcomes) }

    /// Opens the stream again and again until all is known.
    func run(_ client: SoakClient) async {
        var isFirst = true
        while !self.isDone, !client.isOver {
            if !isFirst { await client.pauseBeforeRetry() }
            isFirst = false
            // Outcomes that arrived before the disconnection are kept.
            try? await self.connect(client)
        }
        let (through, told) = self.state.withLock { ($0.through, $0.outcomes.count) }
        client.record.change { $0.accepted += through }
        if through < self.lines.count { client.record.breach("\(self.name) was accepted to line \(through) only") }
        if told < through { client.record.breach("\(self.name): \(through - told) outcomes are missing") }
    }

    private var isDone: Bool {
        self.state.withLock { $0.through == self.lines.count && $0.outcomes.count == self.lines.count }
    }

    private func connect(_ client: SoakClient) async throws {
        guard let url = client.fleet.urls.randomElement() else { return }
        // All lines before this one have outcomes; some later ones may have too.
        let (through, told) = self.state.withLock { state in
            (state.through, (1...self.lines.count).prefix(while: { state.outcomes[$0] != nil }).count)
        }
        let query = "stream=\(self.name)&from=\(through + 1)&outcomesAfter=\(told)"
        var request = HTTPClientRequest(url: "\(url)\(client.path)/notifications:stream?\(query)")
        request.method = .POST
        request.headers = ["authorization": "Bearer \(client.fleet.key)", "content-type": "application/x-ndjson"]
        request.body = .stream(self.lines.paced(from: through + 1), length: .unknown)
        let left = max(.seconds(1), client.deadline - .now)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(Int64(left / .seconds(1))))
        guard response.status == .ok else {
            let body = try await response.body.collect(upTo: 1 << 16)
            if (400..<500).contains(response.status.code) {
                client.record.breach("\(self.name) was refused: \(String(buffer: body).prefix(300))")
                try await Task.sleep(for: .seconds(1))
            }
            return
        }
        var splitter = LineSplitter()
        for try await piece in response.body {
            for line in splitter.feed(Data(piece.readableBytesView)) { self.take(line, client.record) }
        }
    }

    private func take(_ line: String, _ record: SoakLog) {
        guard let told = try? JSON.decoder.decode(StreamLines.Told.self, from: Data(line.utf8)) else {
            return record.breach("\(self.name) received \(line)")
        }
        switch told.type {
        case "resumed": self.state.withLock { $0.through = max($0.through, told.accepted ?? 0) }
        case "accepted": self.state.withLock { $0.through = max($0.through, told.acceptedThrough ?? 0) }
        case "outcome":
            guard let number = told.line, let answer = StreamLines.Answer(told) else {
                return record.breach("\(self.name) received \(line)")
            }
            let before = self.state.withLock { state in state.outcomes.updateValue(answer, forKey: number) }
            if let before, before != answer {
                record.breach("\(self.name), line \(number) received two outcomes: \(before) and \(answer)")
            }
        case "rejected": record.breach("\(self.name) received \(line)")
        default: break
        }
    }
}

/// The lines of a stream, and the parser of its responses.
struct StreamLines: Sendable {
    /// How many lines are sent at once, and how long apart.
    private static let piece = 5
    private static let interval: Duration = .milliseconds(200)

    private let lines: [String]

    /// Lines to tokens, each with its own payload.
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

    /// A line of the response.
    struct Told: Decodable {
        let type: String
        let accepted: Int?
        let acceptedThrough: Int?
        let line: Int?
        let apnsID: String?
        let outcome: String?
        let reason: String?
        let code: String?
    }

    /// The outcome of a line.
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
