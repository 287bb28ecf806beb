// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Clause {
    /// Sections 4.1, 4.2, 5.5 and what section 6 says of sizes and padding.
    static let frames: [Clause] = Self.formats + Self.sizes + Self.padding + Self.priorities

    private static let formats: [Clause] = [
        Clause("4.1", "a frame of an unknown type is ignored", .tolerated, serving: [1]) {
            $0.send(HTTP2Frame(HTTP2Frame.Kind(rawValue: 0xfe), flags: [], stream: 0, payload: [1, 2, 3]))
            $0.send(.headers(1, .request()))
        },
        Clause("4.1", "flags that are not defined for a type are ignored", .tolerated) {
            $0.send(HTTP2Frame(.ping, flags: HTTP2Frame.Flags(rawValue: 0xfe), payload: [1, 2, 3, 4, 5, 6, 7, 8]))
        },
        Clause("4.1", "the reserved bit of a stream identifier is ignored", .tolerated, serving: [1]) {
            $0.send(
                HTTP2Frame(
                    .headers,
                    flags: [.endStream, .endHeaders],
                    stream: 1 << 31 | 1,
                    payload: HPACKBlock.request().bytes
                )
            )
        },
        Clause("4.1", "the reserved bit of the connection's stream identifier is ignored", .tolerated) {
            $0.send(HTTP2Frame(.ping, stream: 1 << 31, payload: [1, 2, 3, 4, 5, 6, 7, 8]))
        },
        Clause("5.5", "an unknown frame on an idle stream is ignored", .tolerated, serving: [1]) {
            $0.send(HTTP2Frame(HTTP2Frame.Kind(rawValue: 0x42), stream: 1, payload: [0]), .headers(1, .request()))
        },
        Clause("5.5", "an unknown frame on an open stream is ignored", .tolerated, serving: [1]) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(HTTP2Frame.Kind(rawValue: 0x42), stream: 1), .data(1, [1], endStream: true))
        },
    ]

    private static let sizes: [Clause] = [
        Clause("4.2", "DATA of the largest size is taken", .tolerated, serving: [1]) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(.data(1, [UInt8](repeating: 0, count: 16_384), endStream: true))
        },
        Clause("4.2", "DATA beyond the largest size is an error", .stream(1, .frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(.data(1, [UInt8](repeating: 0, count: 16_385), endStream: true))
        },
        Clause("4.2", "HEADERS beyond the largest size end the connection", .connection(.frameSizeError)) {
            $0.send(.headers(1, HPACKBlock([UInt8](repeating: 0x82, count: 16_385))))
        },
        Clause("4.2", "SETTINGS beyond the largest size end the connection", .connection(.frameSizeError)) {
            $0.send(HTTP2Frame(.settings, payload: [UInt8](repeating: 0, count: 16_386)))
        },
        Clause("6.3", "PRIORITY of four bytes is an error", .stream(1, .frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false), HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0]))
        },
        Clause("6.3", "PRIORITY of six bytes is an error", .stream(1, .frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 0, 0]))
        },
        Clause("6.4", "RST_STREAM of three bytes ends the connection", .connection(.frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false), HTTP2Frame(.resetStream, stream: 1, payload: [0, 0, 0]))
        },
        Clause("6.4", "RST_STREAM of five bytes ends the connection", .connection(.frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.resetStream, stream: 1, payload: [0, 0, 0, 8, 0]))
        },
        Clause("6.9", "WINDOW_UPDATE of three bytes ends the connection", .connection(.frameSizeError)) {
            $0.send(HTTP2Frame(.windowUpdate, payload: [0, 0, 1]))
        },
        Clause("6.9", "WINDOW_UPDATE of five bytes on a stream ends the connection", .connection(.frameSizeError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.windowUpdate, stream: 1, payload: [0, 0, 0, 1, 0]))
        },
        Clause(
            "6.2",
            "HEADERS too short for their priority end the connection",
            .connection(.frameSizeError, .protocolError)
        ) {
            $0.send(HTTP2Frame(.headers, flags: [.endHeaders, .endStream, .priority], stream: 1, payload: [0, 0, 0]))
        },
    ]

    private static let padding: [Clause] = [
        Clause("6.1", "padded DATA is taken without its padding", .tolerated, serving: [1]) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.data, flags: [.padded, .endStream], stream: 1, payload: [3, 7, 0, 0, 0]))
        },
        Clause("6.1", "padding of DATA as long as the payload ends the connection", .connection(.protocolError)) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.data, flags: [.padded, .endStream], stream: 1, payload: [4, 0, 0, 0]))
        },
        Clause(
            "6.1",
            "padded DATA without a padding length ends the connection",
            .connection(.protocolError, .frameSizeError)
        ) {
            $0.send(.headers(1, .request(), endStream: false))
            $0.send(HTTP2Frame(.data, flags: [.padded, .endStream], stream: 1))
        },
        Clause("6.2", "padded HEADERS with a priority are taken", .tolerated, serving: [1]) {
            let payload = [2, 0, 0, 0, 0, 15] + HPACKBlock.request().bytes + [0, 0]
            $0.send(
                HTTP2Frame(.headers, flags: [.padded, .priority, .endHeaders, .endStream], stream: 1, payload: payload)
            )
        },
        Clause("6.2", "padding of HEADERS beyond the payload ends the connection", .connection(.protocolError)) {
            let payload = [200] + HPACKBlock.request().bytes
            $0.send(HTTP2Frame(.headers, flags: [.padded, .endHeaders, .endStream], stream: 1, payload: payload))
        },
        Clause(
            "6.2",
            "padding of HEADERS that reaches into the priority ends the connection",
            .connection(.protocolError, .frameSizeError)
        ) {
            $0.send(
                HTTP2Frame(
                    .headers,
                    flags: [.padded, .priority, .endHeaders, .endStream],
                    stream: 1,
                    payload: [2, 0, 0, 0, 0, 15, 0]
                )
            )
        },
    ]

    /// Priorities are deprecated, yet their frames still come.
    private static let priorities: [Clause] = [
        Clause("6.3", "PRIORITY on stream 0 ends the connection", .connection(.protocolError)) {
            $0.send(.priority(0, dependsOn: 1))
        },
        Clause("5.1", "PRIORITY of an idle stream is taken", .tolerated, serving: [5]) {
            $0.send(.priority(5, dependsOn: 0), .headers(5, .request()))
        },
        Clause("5.1", "PRIORITY of a closed stream is taken", .tolerated, serving: [1]) {
            $0.send(.headers(1, .request()), .priority(1, dependsOn: 0))
        },
        Clause(
            "5.3",
            "PRIORITY that names itself does no more than end the connection",
            .stream(1, .protocolError) + [.tolerated]
        ) {
            $0.send(.headers(1, .request(), endStream: false), .priority(1, dependsOn: 1))
        },
        Clause(
            "5.3",
            "HEADERS that depend on themselves do no more than end the connection",
            .stream(1, .protocolError) + [.tolerated]
        ) {
            let payload = [0, 0, 0, 1, 15] + HPACKBlock.request().bytes
            $0.send(HTTP2Frame(.headers, flags: [.priority, .endHeaders, .endStream], stream: 1, payload: payload))
        },
    ]
}
