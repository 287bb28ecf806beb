// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Clause {
    /// Section 8: a request that is malformed takes its own stream with it and no other.
    static let messages: [Clause] = Self.fields + Self.pseudoFields + Self.lengths + Self.trailers

    private static let common: [(String, String)] = [
        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00"), (":authority", "localhost"),
    ]

    /// An honest request's fields without those of some names, and with others behind them.
    private static func block(without names: Set<String> = [], adding others: [(String, String)] = []) -> HPACKBlock {
        var block = HPACKBlock()
        for (name, value) in Self.common.filter({ !names.contains($0.0) }) + others { block.append(name, value) }
        return block
    }

    private static func malformed(_ section: String, _ name: String, _ block: HPACKBlock) -> Clause {
        Clause(section, "\(name) is malformed", .stream(1, .protocolError)) { $0.send(.headers(1, block)) }
    }

    private static let fields: [Clause] = [
        Self.malformed("8.2", "a field name in upper case", Self.block(adding: [("Apns-Topic", "x")])),
        Self.malformed("8.2.1", "a field name with a space", Self.block(adding: [("apns topic", "x")])),
        Self.malformed("8.2.1", "a field name with a colon in it", Self.block(adding: [("apns:topic", "x")])),
        Self.malformed("8.2.1", "a field name with a control character", Self.block(adding: [("apns\u{1}topic", "x")])),
        Self.malformed("8.2.1", "a field value with a NUL", Self.block(adding: [("apns-topic", "a\u{0}b")])),
        Self.malformed("8.2.1", "a field value with a line feed", Self.block(adding: [("apns-topic", "a\nb")])),
        Self.malformed("8.2.1", "a field value with a carriage return", Self.block(adding: [("apns-topic", "a\rb")])),
        Self.malformed("8.2.2", "connection", Self.block(adding: [("connection", "close")])),
        Self.malformed("8.2.2", "keep-alive", Self.block(adding: [("keep-alive", "timeout=5")])),
        Self.malformed("8.2.2", "proxy-connection", Self.block(adding: [("proxy-connection", "close")])),
        Self.malformed("8.2.2", "transfer-encoding", Self.block(adding: [("transfer-encoding", "chunked")])),
        Self.malformed("8.2.2", "upgrade", Self.block(adding: [("upgrade", "h2c")])),
        Self.malformed("8.2.2", "te of anything but trailers", Self.block(adding: [("te", "gzip")])),
        Clause("8.2.2", "te of trailers is taken", .tolerated, serving: [1]) {
            $0.send(.headers(1, Self.block(adding: [("te", "trailers")])))
        },
        Clause("8.2.3", "cookies in pieces are taken", .tolerated, serving: [1]) {
            $0.send(.headers(1, Self.block(adding: [("cookie", "a=b"), ("cookie", "c=d")])))
        },
    ]

    private static let pseudoFields: [Clause] = [
        Self.malformed("8.3", "an unknown pseudo-header field", Self.block(adding: [(":test", "x")])),
        Self.malformed("8.3", "a response's pseudo-header field", Self.block(adding: [(":status", "200")])),
        Self.malformed(
            "8.3",
            "a pseudo-header field behind a regular one",
            Self.block(without: [":path"], adding: [("x", "y"), (":path", "/")])
        ),
        Self.malformed("8.3.1", "a request without a method", Self.block(without: [":method"])),
        Self.malformed("8.3.1", "a request without a scheme", Self.block(without: [":scheme"])),
        Self.malformed("8.3.1", "a request without a path", Self.block(without: [":path"])),
        Self.malformed(
            "8.3.1",
            "a request with an empty path",
            Self.block(without: [":path"], adding: [(":path", "")])
        ),
        Self.malformed("8.3.1", "a request with two methods", Self.block(adding: [(":method", "GET")])),
        Self.malformed("8.3.1", "a request with two schemes", Self.block(adding: [(":scheme", "https")])),
        Self.malformed("8.3.1", "a request with two paths", Self.block(adding: [(":path", "/")])),
        Self.malformed("8.3.1", "a request with two authorities", Self.block(adding: [(":authority", "x")])),
        Self.malformed("8.3", "a header block without any field", HPACKBlock()),
        Clause("8.3.1", "host may stand in the place of the authority", .tolerated, serving: [1]) {
            $0.send(.headers(1, Self.block(without: [":authority"], adding: [("host", "localhost")])))
        },
    ]

    private static func body(of length: String, _ pieces: [[UInt8]]) -> @Sendable (inout RawHTTP2Peer) -> Void {
        { peer in
            peer.send(.headers(1, Self.block(adding: [("content-length", length)]), endStream: pieces.isEmpty))
            for (number, piece) in pieces.enumerated() {
                peer.send(.data(1, piece, endStream: number == pieces.count - 1))
            }
        }
    }

    private static let lengths: [Clause] = [
        Clause(
            "8.1.1",
            "a body as long as its content-length is taken",
            .tolerated,
            serving: [1],
            Self.body(of: "3", [[1, 2], [3]])
        ),
        Clause(
            "8.1.1",
            "a body longer than its content-length is malformed",
            .stream(1, .protocolError),
            Self.body(of: "1", [[1, 2]])
        ),
        Clause(
            "8.1.1",
            "a body in pieces that together are too long is malformed",
            .stream(1, .protocolError),
            Self.body(of: "3", [[1, 2], [3, 4]])
        ),
        Clause(
            "8.1.1",
            "a body shorter than its content-length is malformed",
            .stream(1, .protocolError),
            Self.body(of: "5", [[1, 2], [3]])
        ),
        Clause(
            "8.1.1",
            "no body where a content-length promises one is malformed",
            .stream(1, .protocolError),
            Self.body(of: "5", [])
        ),
        Clause(
            "8.1.1",
            "a content-length that is no number is malformed",
            .stream(1, .protocolError),
            Self.body(of: "many", [[1]])
        ),
        Clause(
            "8.1.1",
            "a content-length below zero is malformed",
            .stream(1, .protocolError),
            Self.body(of: "-1", [[1]])
        ),
    ]

    private static let trailers: [Clause] = [
        Clause("8.1", "trailers end a request", .tolerated, serving: [1]) {
            $0.send(.headers(1, .request(), endStream: false), .data(1, [1]), .headers(1, HPACKBlock(["x-sum": "1"])))
        },
        Clause("8.1", "a second header block that does not end the stream is malformed", .stream(1, .protocolError)) {
            $0.send(.headers(1, .request(), endStream: false), .data(1, [1]))
            $0.send(.headers(1, HPACKBlock(["x-sum": "1"]), endStream: false))
        },
        Clause("8.1", "a pseudo-header field in trailers is malformed", .stream(1, .protocolError)) {
            $0.send(
                .headers(1, .request(), endStream: false),
                .data(1, [1]),
                .headers(1, HPACKBlock([":method": "POST"]))
            )
        },
    ]
}
