// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session

extension Attack {
    /// Clients whose header blocks are broken, malformed or too large.
    static let headers: [Attack] = Self.brokenCompression + Self.oversizedLists + Self.malformedRequests

    private static let brokenCompression: [Attack] = [
        Attack("HPACK index 0 ends the connection", .goAway(.compressionError)) {
            $0.send(.headers(1, HPACKBlock([0x80])))
        },
        Attack("an HPACK index beyond the tables ends the connection", .goAway(.compressionError)) {
            var block = HPACKBlock()
            block.append(index: 62)
            $0.send(.headers(1, block))
        },
        Attack("an HPACK integer without an end ends the connection", .goAway(.compressionError)) {
            $0.send(.headers(1, HPACKBlock([0xff] + [UInt8](repeating: 0xff, count: 100))))
        },
        Attack("a header block that breaks off ends the connection", .goAway(.compressionError)) {
            $0.send(.headers(1, HPACKBlock(HPACKBlock.request().bytes.dropLast(3))))
        },
        Attack("a table size beyond what was announced ends the connection", .goAway(.compressionError)) {
            var block = HPACKBlock()
            block.append(tableSize: 1 << 20)
            $0.send(.headers(1, HPACKBlock(block.bytes + HPACKBlock.request().bytes)))
        },
        Attack("a Huffman code that does not end as it must ends the connection", .goAway(.compressionError)) {
            // A literal whose value claims Huffman coding and is padded with zeroes.
            $0.send(.headers(1, HPACKBlock([0x04, 0x81, 0x00])))
        },
        Attack("a field that claims 2^28 bytes ends the connection before they come", .goAway(.compressionError)) {
            var block = HPACKBlock([0x00])
            block.append(integer: 1 << 27, prefix: 7, pattern: 0)
            $0.send(.headers(1, block))
        },
    ]

    private static func list(fields: Int, valueBytes: Int) -> HPACKBlock {
        var block = HPACKBlock.request()
        let value = [UInt8](repeating: UInt8(ascii: "v"), count: valueBytes)
        for _ in 0..<fields { block.append(Array("x".utf8), value) }
        return block
    }

    /// HEADERS and CONTINUATION frames that carry a block in pieces.
    private static func pieces(_ block: HPACKBlock, of size: Int) -> [HTTP2Frame] {
        var frames: [HTTP2Frame] = []
        for start in stride(from: 0, to: block.bytes.count, by: size) {
            let piece = HPACKBlock(Array(block.bytes[start...].prefix(size)))
            let isLast = start + size >= block.bytes.count
            frames.append(
                start == 0
                    ? .headers(1, piece, endHeaders: isLast) : .continuation(1, piece, endHeaders: isLast)
            )
        }
        return frames
    }

    private static let oversizedLists: [Attack] = [
        Attack("a header list within the limits is taken", .none) {
            $0.send(.headers(1, Self.list(fields: 90, valueBytes: 20)))
        },
        Attack("a header list a little larger than was announced is taken", .none) {
            $0.send(.headers(1, Self.list(fields: 1, valueBytes: 8000)))
        },
        Attack("one field of 16,000 bytes ends the connection", .goAway(.enhanceYourCalm)) {
            $0.send(.headers(1, Self.list(fields: 1, valueBytes: 16_000)))
        },
        Attack("101 small fields end the connection", .goAway(.enhanceYourCalm)) {
            $0.send(.headers(1, Self.list(fields: 101, valueBytes: 1)))
        },
        Attack("a large list in many CONTINUATION frames ends the connection", .goAway(.enhanceYourCalm)) {
            for frame in Self.pieces(Self.list(fields: 99, valueBytes: 200), of: 2000) { $0.send(frame) }
        },
        Attack("a header block in more than 32 CONTINUATION frames ends the connection", .goAway(.enhanceYourCalm)) {
            for frame in Self.pieces(Self.list(fields: 33, valueBytes: 20), of: 25) { $0.send(frame) }
        },
        Attack("fields with bad characters count, though they are dropped", .goAway(.enhanceYourCalm)) {
            var block = HPACKBlock.request()
            for _ in 0..<200 { block.append("bad name", "v") }
            $0.send(.headers(1, block))
        },
        Attack("trailers are limited like headers", .goAway(.enhanceYourCalm)) {
            var trailers = HPACKBlock()
            for _ in 0..<101 { trailers.append("x", "v") }
            $0.send(.headers(1, .request(), endStream: false), .headers(1, trailers))
        },
        Attack("one large entry of the table named many times ends the connection", .goAway(.enhanceYourCalm)) {
            var block = HPACKBlock.request()
            block.append(Array("x".utf8), [UInt8](repeating: UInt8(ascii: "v"), count: 3900), indexing: .incremental)
            for _ in 0..<10_000 { block.append(index: 62) }
            $0.send(.headers(1, block))
        },
    ]

    private static func malformed(_ name: String, _ fields: KeyValuePairs<String, String>) -> Attack {
        let block = HPACKBlock(fields)
        return Attack(name, .reset(1, .protocolError)) { $0.send(.headers(1, block)) }
    }

    private static let malformedRequests: [Attack] = [
        Self.malformed("a request without a path resets the stream", [":method": "POST", ":scheme": "https"]),
        Self.malformed(
            "a request with two methods resets the stream",
            [":method": "POST", ":method": "GET", ":scheme": "https", ":path": "/", ":authority": "localhost"]
        ),
        Self.malformed(
            "a pseudo-header field after a regular one resets the stream",
            [":method": "POST", ":scheme": "https", ":path": "/", "x": "y", ":authority": "localhost"]
        ),
        Self.malformed(
            "an unknown pseudo-header field resets the stream",
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "localhost", ":x": "y"]
        ),
        Self.malformed(
            "a response's pseudo-header field in a request resets the stream",
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "localhost", ":status": "200"]
        ),
        Self.malformed(
            "an upper-case field name resets the stream",
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "localhost", "Apns-Topic": "x"]
        ),
        Self.malformed(
            "a connection-specific field resets the stream",
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "localhost", "connection": "close"]
        ),
        Attack("a body longer than its content-length resets the stream", .reset(1, .protocolError)) {
            var block = HPACKBlock.request()
            block.append("content-length", "2")
            $0.send(.headers(1, block, endStream: false), .data(1, [1, 2, 3], endStream: true))
        },
        Attack("a body shorter than its content-length resets the stream", .reset(1, .protocolError)) {
            var block = HPACKBlock.request()
            block.append("content-length", "4")
            $0.send(.headers(1, block, endStream: false), .data(1, [1, 2, 3], endStream: true))
        },
        Attack("another frame between HEADERS and CONTINUATION ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(1, .request(), endHeaders: false), .ping(), .continuation(1, endHeaders: true))
        },
        Attack("a CONTINUATION of another stream ends the connection", .goAway(.protocolError)) {
            $0.send(.headers(1, .request(), endHeaders: false), .continuation(3, endHeaders: true))
        },
    ]
}
