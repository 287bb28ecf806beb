// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOCore

/// The messages that tests send.
extension HTTP2Session {
    /// Submits a POST whose path differs from the others' and so stays out of the dynamic table.
    @discardableResult
    func request(
        path: String = "/3/device/00",
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws -> HTTP2Stream {
        var path = path
        return try path.withUTF8 { path throws in
            var fields = HTTP2HeaderList()
            fields.append(":method", "POST")
            fields.append(":scheme", "https")
            fields.append(":authority", "api.push.example")
            fields.append(":path", path, .copiedUnindexed)
            fields.append("apns-topic", "com.example.app")
            return try self.submitRequest(fields, body: body)
        }
    }

    /// Answers a request, with a field of `filler` bytes where asked for.
    func respond(
        to stream: HTTP2Stream,
        status: StaticString = "200",
        body: [UInt8] = [],
        filler: Int = 0
    ) throws {
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: filler)
        try text.withUnsafeBufferPointer { text throws in
            var fields = HTTP2HeaderList()
            fields.append(":status", status)
            if filler > 0 { fields.append("filler", text, .copiedUnindexed) }
            try body.withUnsafeBytes { body throws in
                try self.submitResponse(on: stream, fields, body: body)
            }
        }
    }

    /// Takes in bytes at a time that tests do not care for.
    func receive(_ bytes: [UInt8], at now: NIODeadline = .uptimeNanoseconds(1)) throws {
        try bytes.withUnsafeBytes { bytes throws in try self.receive(bytes, now: now) }
    }

    /// All that the session has to say now.
    func output(limit: Int = 1 << 30) throws -> [UInt8] {
        var buffer = ByteBuffer()
        _ = try self.write(into: &buffer, limit: limit)
        return Array(buffer.readableBytesView)
    }
}
