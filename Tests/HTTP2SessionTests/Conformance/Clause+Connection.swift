// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Clause {
    /// Sections 6.5, 6.7 and 6.8.
    static let connection: [Clause] = Self.settings + Self.pings + Self.farewells

    private static let settings: [Clause] = [
        Clause("6.5", "an acknowledgement with a payload ends the connection", .connection(.frameSizeError)) {
            $0.send(HTTP2Frame(.settings, flags: .acknowledgement, payload: [0, 3, 0, 0, 0, 1]))
        },
        Clause("6.5", "SETTINGS on a stream end the connection", .connection(.protocolError)) {
            $0.send(HTTP2Frame(.settings, stream: 1, payload: [0, 3, 0, 0, 0, 1]))
        },
        Clause("6.5", "SETTINGS that are no multiple of six bytes end the connection", .connection(.frameSizeError)) {
            $0.send(HTTP2Frame(.settings, payload: [0, 3, 0, 0, 0, 1, 0]))
        },
        Clause("6.5.2", "ENABLE_PUSH of 2 ends the connection", .connection(.protocolError)) {
            $0.send(.settings([0x2: 2]))
        },
        Clause("6.5.2", "an initial window of 2^31 ends the connection", .connection(.flowControlError)) {
            $0.send(.settings([0x4: 1 << 31]))
        },
        Clause("6.5.2", "a largest frame below 16,384 bytes ends the connection", .connection(.protocolError)) {
            $0.send(.settings([0x5: 16_383]))
        },
        Clause("6.5.2", "a largest frame above 16,777,215 bytes ends the connection", .connection(.protocolError)) {
            $0.send(.settings([0x5: 16_777_216]))
        },
        Clause("6.5.2", "a setting that nobody knows is ignored", .tolerated, serving: [1]) {
            $0.send(.settings([0xff: 1, 0xfffe: .max]), .headers(1, .request()))
        },
        Clause("6.5.2", "no compression table at all is honoured", .tolerated, serving: [1, 3]) {
            $0.send(.settings([0x1: 0]), .headers(1, .request()), .headers(3, .request()))
        },
        Clause(
            "6.5.2",
            "a limit of no streams for the server changes nothing for the client's",
            .tolerated,
            serving: [1]
        ) {
            $0.send(.settings([0x3: 0]), .headers(1, .request()))
        },
        Clause("6.5.3", "values are taken in their order, the last one holds", .tolerated, serving: [1]) {
            $0.send(.settings([0x4: 100, 0x4: 65_535]), .headers(1, .request()))
        },
    ]

    private static let pings: [Clause] = [
        Clause("6.7", "PING on a stream ends the connection", .connection(.protocolError)) {
            $0.send(HTTP2Frame(.ping, stream: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]))
        },
        Clause("6.7", "PING of six bytes ends the connection", .connection(.frameSizeError)) {
            $0.send(.ping([1, 2, 3, 4, 5, 6]))
        },
        Clause("6.7", "PING of nine bytes ends the connection", .connection(.frameSizeError)) {
            $0.send(.ping([1, 2, 3, 4, 5, 6, 7, 8, 9]))
        },
        Clause("6.7", "an acknowledgement that nobody waits for is ignored", .tolerated) {
            $0.send(.ping(acknowledgement: true))
        },
    ]

    private static let farewells: [Clause] = [
        Clause("6.8", "GOAWAY on a stream ends the connection", .connection(.protocolError)) {
            $0.send(HTTP2Frame(.goAway, stream: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]))
        },
        Clause("6.8", "GOAWAY of four bytes ends the connection", .connection(.frameSizeError)) {
            $0.send(HTTP2Frame(.goAway, payload: [0, 0, 0, 0]))
        },
        Clause("6.8", "requests of before a GOAWAY are served", .tolerated, serving: [1], isFarewell: true) {
            $0.send(.headers(1, .request(), endStream: false), .goAway(lastStream: 0), .data(1, [1], endStream: true))
        },
        Clause(
            "7",
            "GOAWAY with an unknown code is a farewell like any other",
            .tolerated,
            serving: [1],
            isFarewell: true
        ) {
            $0.send(.headers(1, .request(), endStream: false), .goAway(lastStream: 0, code: 0xffff))
            $0.send(.data(1, [1], endStream: true))
        },
    ]
}
