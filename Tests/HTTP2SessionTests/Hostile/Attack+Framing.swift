// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Attack {
    /// Clients that break the rules of frames.
    static let framing: [Attack] =
        Self.beginnings + Self.wrongStreams + Self.wrongSizes + Self.wrongSettings + Self.wrongWindows

    private static let beginnings: [Attack] = [
        Attack("garbage instead of a preface ends the connection", .goAway(.protocolError), isIntroduced: false) {
            $0.send(bytes: (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
        },
        Attack("a request of HTTP/1.1 ends the connection", .goAway(.protocolError), isIntroduced: false) {
            $0.send(bytes: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        },
        Attack(
            "a preface that is wrong in its last byte ends the connection",
            .goAway(.protocolError),
            isIntroduced: false
        ) {
            $0.send(bytes: HTTP2Frame.clientPreface.dropLast() + [0x20])
        },
        Attack("a first frame other than SETTINGS ends the connection", .goAway(.protocolError), isIntroduced: false) {
            $0.send(bytes: HTTP2Frame.clientPreface)
            $0.send(.ping())
        },
        Attack(
            "an acknowledgement as the first SETTINGS ends the connection",
            .goAway(.protocolError),
            isIntroduced: false
        ) {
            $0.send(bytes: HTTP2Frame.clientPreface)
            $0.send(.settingsAcknowledgement)
        },
    ]

    private static let wrongStreams: [Attack] = [
        Attack("DATA on stream 0 ends the connection", .goAway(.protocolError)) { $0.send(.data(0, [1])) },
        Attack("HEADERS on stream 0 ends the connection", .goAway(.protocolError)) { $0.send(.headers(0, .request())) },
        Attack("PRIORITY on stream 0 ends the connection", .goAway(.protocolError)) { $0.send(.priority(0)) },
        Attack("RST_STREAM on stream 0 ends the connection", .goAway(.protocolError)) { $0.send(.reset(0)) },
        Attack("SETTINGS on a stream end the connection", .goAway(.protocolError)) {
            $0.send(HTTP2Frame(.settings, stream: 1))
        },
        Attack("PING on a stream ends the connection", .goAway(.protocolError)) {
            $0.send(HTTP2Frame(.ping, stream: 1, payload: [UInt8](repeating: 0, count: 8)))
        },
        Attack("GOAWAY on a stream ends the connection", .goAway(.protocolError)) {
            $0.send(HTTP2Frame(.goAway, stream: 1, payload: [UInt8](repeating: 0, count: 8)))
        },
        Attack("a CONTINUATION out of the blue ends the connection", .goAway(.protocolError)) {
            $0.send(.continuation(1, endHeaders: true))
        },
        Attack("a request on an even stream ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(2, .request()))
        },
        Attack("DATA on a stream that was never opened ends the connection", .goAway(.protocolError)) {
            $0.send(.data(5, [1]))
        },
        Attack("RST_STREAM of a stream that was never opened ends the connection", .goAway(.protocolError)) {
            $0.send(.reset(5))
        },
        Attack("WINDOW_UPDATE of a stream that was never opened ends the connection", .goAway(.protocolError)) {
            $0.send(.windowUpdate(5, by: 1))
        },
        Attack("PUSH_PROMISE of a client ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(1, .request(), endStream: false), .pushPromise(1, promising: 2, .request()))
        },
        Attack("a stream that depends on itself ends the connection", .goAway(.protocolError)) {
            $0.send(.priority(1, dependsOn: 1))
        },
        Attack("DATA after the end of a stream ends the connection", .goAway(.streamClosed)) {
            $0.send(.headers(1, .request()), .data(1, [1]))
        },
        Attack("HEADERS after the end of a stream end the connection", .goAway(.streamClosed)) {
            $0.send(.headers(1, .request()), .headers(1, .request()))
        },
    ]

    private static let wrongSizes: [Attack] = [
        Attack("SETTINGS of five bytes end the connection", .goAway(.frameSizeError)) {
            $0.send(HTTP2Frame(.settings, payload: [0, 1, 0, 0, 0]))
        },
        Attack("an acknowledgement of SETTINGS with a payload ends the connection", .goAway(.frameSizeError)) {
            $0.send(HTTP2Frame(.settings, flags: .acknowledgement, payload: [0, 1, 0, 0, 0, 0]))
        },
        Attack("PING of seven bytes ends the connection", .goAway(.frameSizeError)) {
            $0.send(.ping([1, 2, 3, 4, 5, 6, 7]))
        },
        Attack("RST_STREAM of three bytes ends the connection", .goAway(.frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false), HTTP2Frame(.resetStream, stream: 1, payload: [0, 0, 0]))
        },
        Attack("WINDOW_UPDATE of five bytes ends the connection", .goAway(.frameSizeError)) {
            $0.send(HTTP2Frame(.windowUpdate, payload: [0, 0, 0, 1, 0]))
        },
        Attack("PRIORITY of four bytes ends the connection", .goAway(.frameSizeError)) {
            $0.send(HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0]))
        },
        Attack("GOAWAY of seven bytes ends the connection", .goAway(.frameSizeError)) {
            $0.send(HTTP2Frame(.goAway, payload: [0, 0, 0, 0, 0, 0, 0]))
        },
        Attack("a frame larger than was announced ends the connection", .goAway(.frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false), .data(1, [UInt8](repeating: 0, count: 16_385)))
        },
        Attack("a header that claims 16 MiB ends the connection before they come", .goAway(.frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(bytes: HTTP2Frame.data(1).bytes(claiming: 0xffffff))
        },
        Attack("DATA with more padding than payload ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.data, flags: .padded, stream: 1, payload: [200, 0, 0]))
        },
        Attack("HEADERS with more padding than payload end the connection", .goAway(.protocolError)) {
            $0.send(HTTP2Frame(.headers, flags: [.padded, .endHeaders], stream: 1, payload: [200, 0x88]))
        },
    ]

    private static let wrongSettings: [Attack] = [
        Attack("ENABLE_PUSH of 2 ends the connection", .goAway(.protocolError)) { $0.send(.settings([0x2: 2])) },
        Attack("an initial window of 2^31 ends the connection", .goAway(.flowControlError)) {
            $0.send(.settings([0x4: 1 << 31]))
        },
        Attack("a maximum frame size of 16,383 ends the connection", .goAway(.protocolError)) {
            $0.send(.settings([0x5: 16_383]))
        },
        Attack("a maximum frame size of 2^24 ends the connection", .goAway(.protocolError)) {
            $0.send(.settings([0x5: 1 << 24]))
        },
        Attack("an acknowledgement of SETTINGS that nobody sent ends the connection", .goAway(.protocolError)) {
            $0.send(.settingsAcknowledgement)
        },
        Attack("a header table of 4 GiB is not taken up", .none) {
            $0.send(.settings([0x1: .max]), .headers(1, .request()))
        },
    ]

    private static let wrongWindows: [Attack] = [
        Attack("a connection's window beyond 2^31-1 ends the connection", .goAway(.flowControlError)) {
            $0.send(.windowUpdate(0, by: 0x7fff_ffff))
        },
        Attack("a stream's window beyond 2^31-1 resets the stream", .reset(1, .flowControlError)) {
            $0.send(.headers(1, .request(), endStream: false), .windowUpdate(1, by: 0x7fff_ffff))
        },
        Attack("an initial window that takes a stream beyond 2^31-1 ends the connection", .goAway(.flowControlError)) {
            $0.send(.headers(1, .request(), endStream: false), .windowUpdate(1, by: 0x7fff_0000))
            $0.send(.settings([0x4: 0x7fff_ffff]))
        },
        Attack("WINDOW_UPDATE by nothing ends the connection", .goAway(.protocolError)) {
            $0.send(.windowUpdate(0, by: 0))
        },
    ]
}
