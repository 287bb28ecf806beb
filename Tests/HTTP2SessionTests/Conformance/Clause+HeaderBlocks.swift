// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Clause {
    /// Sections 4.3 and 6.10, and the decoding errors of RFC 7541.
    static let headerBlocks: [Clause] = Self.continuations + Self.compression

    private static let head = HPACKBlock(Array(HPACKBlock.request().bytes.prefix(10)))
    private static let tail = HPACKBlock(Array(HPACKBlock.request().bytes.dropFirst(10)))

    private static let continuations: [Clause] = [
        Clause("6.10", "a block may be cut anywhere, and continued by nothing", .tolerated, serving: [1]) {
            peer in
            let bytes = HPACKBlock.request().bytes
            peer.send(.headers(1, HPACKBlock([bytes[0]]), endHeaders: false))
            peer.send(.continuation(1, HPACKBlock(Array(bytes[1..<4])), endHeaders: false))
            peer.send(.continuation(1, HPACKBlock(Array(bytes[4...])), endHeaders: false))
            peer.send(.continuation(1, endHeaders: true))
        },
        Clause("6.10", "several CONTINUATION frames of large fields are taken", .tolerated, serving: [1]) {
            let field = HPACKBlock(["x-dummy0": String(repeating: "x", count: 4000)])
            $0.send(.headers(1, .request(method: "GET"), endHeaders: false))
            $0.send(.continuation(1, field, endHeaders: false), .continuation(1, field, endHeaders: true))
        },
        Clause("6.10", "a block in 21 small pieces is taken", .tolerated, serving: [1]) { peer in
            let bytes = HPACKBlock.request().bytes
            peer.send(.headers(1, HPACKBlock([bytes[0]]), endHeaders: false))
            for byte in bytes[1..<20] { peer.send(.continuation(1, HPACKBlock([byte]), endHeaders: false)) }
            peer.send(.continuation(1, HPACKBlock(Array(bytes[20...])), endHeaders: true))
        },
        Clause("6.10", "CONTINUATION after the end of a block ends the connection", .connection(.protocolError)) {
            $0.send(.headers(1, .request(), endStream: false), .continuation(1, .request(), endHeaders: true))
        },
        Clause(
            "6.10",
            "CONTINUATION after the end of a continued block ends the connection",
            .connection(.protocolError)
        ) {
            $0.send(.headers(1, Self.head, endStream: false, endHeaders: false))
            $0.send(.continuation(1, Self.tail, endHeaders: true), .continuation(1, endHeaders: true))
        },
        Clause("6.10", "CONTINUATION after DATA ends the connection", .connection(.protocolError)) {
            $0.send(.headers(1, .request(), endStream: false), .data(1, [1]), .continuation(1, endHeaders: true))
        },
        Self.interrupted("CONTINUATION of another stream", by: .continuation(3, Self.tail, endHeaders: true)),
        Self.interrupted("HEADERS of another stream", by: .headers(3, .request())),
        Self.interrupted("HEADERS of the same stream", by: .headers(1, .request())),
        Self.interrupted("DATA", by: .data(1, [1], endStream: true)),
        Self.interrupted("PRIORITY", by: .priority(1)),
        Self.interrupted("RST_STREAM", by: .reset(1)),
        Self.interrupted("SETTINGS", by: .settings()),
        Self.interrupted("PING", by: .ping()),
        Self.interrupted("GOAWAY", by: .goAway(lastStream: 0)),
        Self.interrupted("WINDOW_UPDATE", by: .windowUpdate(0, by: 1)),
        Self.interrupted("an unknown frame", by: HTTP2Frame(HTTP2Frame.Kind(rawValue: 0x42), stream: 1)),
    ]

    private static func interrupted(_ name: String, by frame: HTTP2Frame) -> Clause {
        Clause("4.3", "\(name) inside a header block ends the connection", .connection(.protocolError)) {
            $0.send(.headers(1, Self.head, endHeaders: false), frame, .continuation(1, Self.tail, endHeaders: true))
        }
    }

    private static let compression: [Clause] = [
        Self.undecodable("6.1", "index 0", [0x80]),
        Self.undecodable("2.3.3", "an index beyond both tables", [0xbe]),
        Self.undecodable("6.2.1", "a literal with a name beyond both tables", [0x7e, 0x01, 0x61]),
        Self.undecodable(
            "5.1",
            "an integer beyond every bound",
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
        ),
        Self.undecodable("5.2", "a string that is longer than the block", [0x00, 0x05, 0x61]),
        Self.undecodable("5.2", "Huffman padding of more than seven bits", [0x04, 0x83, 0x18, 0xff, 0xff]),
        Self.undecodable("5.2", "Huffman padding of zeroes", [0x04, 0x81, 0x00]),
        Self.undecodable("5.2", "a Huffman string that holds the end symbol", [0x04, 0x84, 0xff, 0xff, 0xff, 0xff]),
        Self.undecodable("6.3", "a table beyond the announced size", [0x3f, 0xe2, 0x1f]),
        Self.undecodable("4.2", "a change of the table's size after a field", HPACKBlock.request().bytes + [0x20]),
        Clause("4.3", "a change of the table's size at the beginning is taken", .tolerated, serving: [1]) {
            $0.send(.headers(1, HPACKBlock([0x20, 0x3f, 0xe1, 0x1f] + HPACKBlock.request().bytes)))
        },
        Clause(
            "4.3",
            "the fields of a request that is refused stay in the table",
            .stream(1, .protocolError),
            serving: [3]
        ) {
            var refused = HPACKBlock([":method": "POST", "X-Upper": "breaks the rules"])
            refused.append("x-kept", "value", indexing: .incremental)
            var next = HPACKBlock.request()
            next.append(index: 62)
            $0.send(.headers(1, refused), .headers(3, next))
        },
    ]

    private static func undecodable(_ section: String, _ name: String, _ bytes: [UInt8]) -> Clause {
        Clause("RFC 7541 \(section)", "\(name) ends the connection", .connection(.compressionError)) {
            $0.send(.headers(1, HPACKBlock(bytes)))
        }
    }
}
