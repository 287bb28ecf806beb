// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Clause {
    /// Sections 5.1, 6.1, 6.4, 6.6 and 6.10: what may come on which stream, and when.
    static let streams: [Clause] = Self.idle + Self.halfClosed + Self.closed + Self.identifiers

    private static let idle: [Clause] = [
        Clause("6.1", "DATA on stream 0 ends the connection", .connection(.protocolError)) { $0.send(.data(0, [1])) },
        Clause("6.2", "HEADERS on stream 0 end the connection", .connection(.protocolError)) {
            $0.send(.headers(0, .request()))
        },
        Clause("6.4", "RST_STREAM on stream 0 ends the connection", .connection(.protocolError)) { $0.send(.reset(0)) },
        Clause("6.10", "CONTINUATION on stream 0 ends the connection", .connection(.protocolError)) {
            $0.send(.continuation(0, .request(), endHeaders: true))
        },
        Clause("5.1", "DATA on an idle stream ends the connection", .connection(.protocolError)) {
            $0.send(.data(1, [1], endStream: true))
        },
        Clause("5.1", "RST_STREAM of an idle stream ends the connection", .connection(.protocolError)) {
            $0.send(.reset(1))
        },
        Clause("5.1", "WINDOW_UPDATE of an idle stream ends the connection", .connection(.protocolError)) {
            $0.send(.windowUpdate(1, by: 100))
        },
        Clause("5.1", "CONTINUATION on an idle stream ends the connection", .connection(.protocolError)) {
            $0.send(.continuation(1, .request(), endHeaders: true))
        },
    ]

    private static let halfClosed: [Clause] = [
        Clause("5.1", "DATA on a half-closed stream is an error", .stream(1, .streamClosed), isAnswered: false) {
            $0.send(.headers(1, .request()), .data(1, [1], endStream: true))
        },
        Clause("5.1", "HEADERS on a half-closed stream are an error", .stream(1, .streamClosed), isAnswered: false) {
            $0.send(.headers(1, .request()), .headers(1, .request()))
        },
        Clause(
            "5.1",
            "CONTINUATION on a half-closed stream is an error",
            .stream(1, .streamClosed, .protocolError),
            isAnswered: false
        ) {
            $0.send(.headers(1, .request()), .continuation(1, .request(), endHeaders: true))
        },
        Clause("5.1", "WINDOW_UPDATE on a half-closed stream is taken", .tolerated, isAnswered: false) {
            $0.send(.headers(1, .request()), .windowUpdate(1, by: 100))
        },
        Clause("5.1", "RST_STREAM on a half-closed stream is taken", .tolerated, isAnswered: false) {
            $0.send(.headers(1, .request()), .reset(1))
        },
        Clause("7", "RST_STREAM with an unknown code is taken", .tolerated, isAnswered: false) {
            $0.send(.headers(1, .request()), .reset(1, code: 0xdead_beef))
        },
    ]

    private static let closed: [Clause] = [
        Clause("5.1", "DATA after RST_STREAM is an error", .stream(1, .streamClosed), isAnswered: false) {
            $0.send(.headers(1, .request(), endStream: false), .reset(1), .data(1, [1], endStream: true))
        },
        Clause("5.1", "HEADERS after RST_STREAM are an error", .stream(1, .streamClosed), isAnswered: false) {
            $0.send(.headers(1, .request(), endStream: false), .reset(1), .headers(1, .request()))
        },
        Clause("5.1", "a second RST_STREAM is no error", .closed(1), isAnswered: false) {
            $0.send(.headers(1, .request(), endStream: false), .reset(1), .reset(1))
        },
        Clause(
            "5.1",
            "DATA on a stream that was served is an error",
            .stream(1, .streamClosed),
            serving: [1],
            after: [.headers(1, .request())]
        ) {
            $0.send(.data(1, [1], endStream: true))
        },
        Clause(
            "5.1",
            "HEADERS on a stream that was served end the connection",
            .connection(.streamClosed),
            serving: [1],
            after: [.headers(1, .request())]
        ) {
            $0.send(.headers(1, .request()))
        },
        Clause(
            "5.1",
            "CONTINUATION on a stream that was served ends the connection",
            .connection(.streamClosed, .protocolError),
            serving: [1],
            after: [.headers(1, .request())]
        ) {
            $0.send(.continuation(1, HPACKBlock(["x-sum": "1"]), endHeaders: true))
        },
        Clause(
            "5.1",
            "WINDOW_UPDATE on a stream that was served is ignored",
            .closed(1),
            serving: [1],
            after: [.headers(1, .request())]
        ) {
            $0.send(.windowUpdate(1, by: 100))
        },
        Clause(
            "5.1",
            "RST_STREAM of a stream that was served is ignored",
            .closed(1),
            serving: [1],
            after: [.headers(1, .request())]
        ) {
            $0.send(.reset(1))
        },
        Clause(
            "5.1",
            "CONTINUATION on a stream that was reset ends the connection",
            .connection(.protocolError, .streamClosed),
            isAnswered: false
        ) {
            $0.send(.headers(1, .request(), endStream: false), .reset(1), .continuation(1, endHeaders: true))
        },
    ]

    private static let identifiers: [Clause] = [
        Clause("5.1.1", "a request on an even stream ends the connection", .connection(.protocolError)) {
            $0.send(.headers(2, .request()))
        },
        Clause("5.1.1", "a stream below one that was opened ends the connection", .connection(.protocolError)) {
            $0.send(.headers(5, .request()), .headers(3, .request()))
        },
        Clause("5.1.1", "DATA on a stream that was skipped end the connection", .connection(.protocolError)) {
            $0.send(.headers(5, .request()), .data(3, [1], endStream: true))
        },
        Clause("5.1.1", "streams may be skipped", .tolerated, serving: [1, 901]) {
            $0.send(.headers(1, .request()), .headers(901, .request()))
        },
        Clause(
            "5.1.2",
            "one stream more than was allowed is refused",
            .stream(201, .refusedStream, .protocolError),
            isAnswered: false
        ) { peer in
            for number in 0...100 as ClosedRange<UInt32> {
                peer.send(.headers(2 * number + 1, .request(), endStream: false))
            }
        },
        Clause("5.1.2", "as many streams as were allowed are taken, again and again", .tolerated, isAnswered: false) {
            peer in
            for number in 0..<400 as Range<UInt32> {
                peer.send(.headers(2 * number + 1, .request(), endStream: false), .reset(2 * number + 1))
            }
        },
        Clause("6.6", "PUSH_PROMISE of a client ends the connection", .connection(.protocolError)) {
            $0.send(.headers(1, .request(), endStream: false), .pushPromise(1, promising: 2, .request()))
        },
        Clause("8.4", "PUSH_PROMISE on stream 0 ends the connection", .connection(.protocolError)) {
            $0.send(.pushPromise(0, promising: 2, .request()))
        },
    ]
}
