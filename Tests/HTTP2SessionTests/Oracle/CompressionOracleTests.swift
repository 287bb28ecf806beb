// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Header compression against libnghttp2's", .timeLimit(.minutes(20)))
struct CompressionOracleTests {
    @Test(
        "what a session encodes, libnghttp2 decodes to the same fields, whatever the size of the table",
        arguments: 0..<8 as Range<UInt64>
    )
    func encoder(seed: UInt64) throws {
        var generator = RandomFields(seed: seed)
        let exchange = try RawExchange.client(settings: [0x3: 1000])
        let inflater = NativeInflater()
        var heard = exchange.peer.received.count
        for _ in 0..<40 {
            if Int.random(in: 0..<6, using: &generator.random) == 0 {
                let size = [0, 64, 200, 1000, 4096, 65_536].randomElement(using: &generator.random) ?? 4096
                exchange.peer.send(.settings([0x1: UInt32(size)]))
                try exchange.run()
                inflater.changeTableSize(to: size)
            }
            let fields = generator.request()
            try exchange.session.submit(fields)
            try exchange.hear()
            let frames = exchange.peer.received[heard...].filter { [.headers, .continuation].contains($0.kind) }
            heard = exchange.peer.received.count
            let decoded = inflater.fields(of: frames.flatMap(\.payload))
            #expect(decoded?.map(\.name) == fields.map { Array($0.name.description.utf8) }, "seed \(seed)")
            #expect(decoded?.map(\.value) == fields.map(\.value), "seed \(seed)")
        }
    }

    @Test(
        "what libnghttp2 encodes, a session decodes to the same fields, in pieces of any size",
        arguments: 0..<8 as Range<UInt64>
    )
    func decoder(seed: UInt64) throws {
        var generator = RandomFields(seed: seed)
        let exchange = try RawExchange.server(settings: HTTP2Settings(maximumHeaderListSize: 65_536)) { _, _ in }
        let deflater = NativeDeflater()
        for number in 0..<40 as Range<UInt32> {
            if Int.random(in: 0..<6, using: &generator.random) == 0 {
                deflater.changeTableSize(to: [0, 64, 200, 1000, 4096].randomElement(using: &generator.random) ?? 4096)
            }
            let fields = generator.request().map { field in
                var native = HeaderField(field.name.description, "", isIndexed: field.isIndexed)
                native.value = field.value
                return native
            }
            let block = HPACKBlock(deflater.block(fields))
            exchange.peer.send(.headers(2 * number + 1, block))
            for piece in generator.pieces(of: exchange.peer.takeOutput()) { try exchange.session.receive(piece) }
            try exchange.hear()
            let told = exchange.recorder.fields(on: Int32(2 * number + 1))
            #expect(told == fields.map(\.description), "seed \(seed)")
        }
        #expect(exchange.peer.goAway == nil)
    }

    @Test("every byte is decoded from Huffman's code, alone and among others")
    func huffman() throws {
        let deflater = NativeDeflater()
        let exchange = try RawExchange.server { _, _ in }
        let request: [HeaderField] = [":method", ":scheme", ":path", ":authority"].enumerated().map {
            HeaderField($1, ["POST", "https", "/", "localhost"][$0])
        }
        let lawful = (0x21...0x7e).map { UInt8($0) } + (0x80...0xff).map { UInt8($0) }
        for (number, byte) in lawful.enumerated() {
            // Enough frequent symbols that the whole is shorter in Huffman's code.
            let value = Array("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8) + [byte, byte] + Array("0".utf8)
            var field = HeaderField("x", "", isIndexed: false)
            field.value = value
            let id = UInt32(2 * number + 1)
            exchange.peer.send(.headers(id, HPACKBlock(deflater.block(request + [field]))))
            try exchange.run()
            #expect(exchange.recorder.fields(on: Int32(id)).last == field.description)
        }
        #expect(exchange.peer.goAway == nil)
    }
}

extension RandomFields {
    /// Bytes in pieces of any size, as they might come from a socket.
    mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        let largest = [bytes.count / 100 + 1, 100, 5000].randomElement(using: &self.random) ?? 1
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...largest, using: &self.random))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

extension HTTP2Session {
    /// Submits a request of these fields.
    @discardableResult
    func submit(
        _ fields: [(name: StaticString, value: [UInt8], isIndexed: Bool)],
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws -> HTTP2Stream {
        var table = HTTP2HeaderList(capacity: fields.count)
        let values = fields.map { LentBody($0.value) }
        for (field, value) in zip(fields, values) {
            let bytes = value.bytes.assumingMemoryBound(to: UInt8.self)
            table.append(field.name, bytes, field.isIndexed ? .copied : .copiedUnindexed)
        }
        defer { withExtendedLifetime(values) {} }
        return try self.submitRequest(table, body: body)
    }
}
