// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// One stream of notifications from its first line to the outcome of its last.
enum MeasuredStream {
    /// More than the bytes of any line that a stream ends with.
    private static let lineBound = 4096

    /// Sends all pieces and reads until the last line.
    ///
    /// - Parameters:
    ///   - pieces: the lines, many of them in each piece.
    ///   - count: how many lines there are.
    ///   - app: the app that the stream is for.
    ///   - stage: the server.
    /// - Returns: the seconds.
    /// - Throws: ``CommandFailure`` `.bad_run` unless every notification was delivered.
    static func run(_ pieces: [ByteBuffer], count: Int, app: String, on stage: ServerStage) async throws -> Double {
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
        guard end.contains(#""reason":"complete""#), end.contains(#""delivered":\#(count)"#), lines > count else {
            throw CommandFailure("bad_run", "The stream ended with \(end)")
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
