// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes answers as JSON: names in alphabetical order, times in ISO 8601 with milliseconds.
enum JSONBody {
    /// An answer's body.
    static func encode(_ value: some Encodable) throws -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: try self.bytes(value)))
    }

    /// The bytes of an answer.
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Timestamp.style))
        }
        return [UInt8](try encoder.encode(value))
    }
}

extension Response {
    /// An answer that is JSON already.
    static func json(bytes: [UInt8], status: HTTPResponse.Status) -> Response {
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        return Response(status: status, headers: [.contentType: "application/json"], body: body)
    }

    /// An answer in JSON.
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: try JSONBody.encode(value))
    }
}
