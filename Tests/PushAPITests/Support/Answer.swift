// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore

/// What the API answered, with its body parsed.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    /// The body as JSON; `null` when it is empty or of another type.
    let json: JSONValue

    init(status: Int, headers: HTTPFields, body: ByteBuffer) {
        self.status = status
        self.headers = headers
        self.text = String(buffer: body)
        self.json = (try? JSONValue(json: Array(body.readableBytesView))) ?? .null
    }

    /// The `code` of a problem.
    var code: String? { self.json["code"]?.text }

    /// The fields that a problem finds fault with.
    var fields: [String] { self.json["errors"]?.elements.compactMap { $0["field"]?.text } ?? [] }

    var requestID: String? { HTTPField.Name("X-Request-ID").flatMap { self.headers[$0] } }
}

extension JSONValue {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Int? {
        if case .integer(let number) = self { Int(number) } else { nil }
    }

    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }
}
