// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import AsyncHTTPClient
import CommandLineSupport
import Foundation
import NIOCore
import NIOHTTP1

/// A stream of notifications with individual payloads.
struct StreamBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Notifications per second through one stream: stored durably, sent, and each outcome returned."
    )

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many lines a round has.")
    var lines = 500_000

    private struct Report: Encodable {
        var lines: Int
        var seconds: Double
        var perS: Double
        var roundsPerS: [Double]
    }

    func validate() throws { try self.check("--lines", self.lines, in: 1000...10_000_000) }

    func run() async throws {
        let population = try BenchPopulation(count: self.lines, badRate: 0)
        let tokens = population.tokens
        let pieces = try StreamMeasurement.pieces(self.lines) { number in
            let alert = "Your order \(number) is on its way and will be with you in \(number % 50) minutes."
            return #"{"token":"\#(tokens[number])","payload":{"aps":{"alert":"\#(alert)"},"order":\#(number)}}"#
        }
        let seconds: [Double] = try await BenchmarkEnvironment.with(population) { bench in
            try await self.rounds.measure { round in
                let taken = try await StreamMeasurement.run(pieces, count: self.lines, app: bench.app, on: bench.stage)
                Console.note("round \(round): \(Int(Double(self.lines) / taken))/s")
                return taken
            }
        }
        let report = Report(
            lines: self.lines,
            seconds: seconds.median.rounded(toPlaces: 2),
            perS: (Double(self.lines) / seconds.median).rounded(),
            roundsPerS: seconds.map { (Double(self.lines) / $0).rounded() }
        )
        if self.rounds.output.json { return try Console.report(report) }
        Console.out("\(Int(report.perS)) notifications/s accepted, sent and settled")
    }
}

/// One stream of notifications from its first line to the outcome of its last.
enum StreamMeasurement {
    /// More than the bytes of any line that a stream ends with.
    private static let lineBound = 4096

    /// Creates the lines of a stream, in large chunks.
    static func pieces(_ count: Int, _ line: (Int) throws -> String) throws -> [ByteBuffer] {
        try stride(from: 0, to: count, by: 500).map { start in
            let lines = try (start..<min(start + 500, count)).map(line)
            return ByteBuffer(string: lines.joined(separator: "\n") + "\n")
        }
    }

    /// Sends all pieces and reads until the last line.
    ///
    /// - Returns: the seconds.
    /// - Throws: ``CommandError`` `.bad_run` unless every notification was delivered.
    static func run(
        _ pieces: [ByteBuffer],
        count: Int,
        app: String,
        on stage: LocalTestEnvironment
    ) async throws -> Double {
        var request = HTTPClientRequest(url: "\(stage.server.url)/v1/apps/\(app)/notifications:stream")
        request.method = .POST
        request.headers = ["authorization": "Bearer \(stage.key)", "content-type": "application/x-ndjson"]
        request.body = .stream(Pieces(pieces: pieces), length: .unknown)
        let start = ContinuousClock.now
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        var tail = ByteBuffer()
        var lines = 0
        for try await piece in response.body {
            lines += piece.readableBytesView.count { $0 == UInt8(ascii: "\n") }
            // The last line may come in two pieces, so the end of the one before is kept.
            tail.moveReaderIndex(forwardBy: max(0, tail.readableBytes - Self.lineBound))
            tail.discardReadBytes()
            tail.writeImmutableBuffer(piece)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let end = String(buffer: tail).split(separator: "\n").last ?? ""
        guard end.contains(#""reason":"completed""#), end.contains(#""delivered":\#(count)"#), lines > count else {
            throw CommandError("bad_run", "The stream ended with \(end)")
        }
        return seconds
    }

    /// The pieces one after the other, as fast as they are taken.
    private struct Pieces: AsyncSequence, Sendable {
        let pieces: [ByteBuffer]

        struct AsyncIterator: AsyncIteratorProtocol {
            var rest: ArraySlice<ByteBuffer>

            mutating func next() async -> ByteBuffer? { self.rest.popFirst() }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self.pieces[...]) }
    }
}
