// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

/// A request in the one form that both sides sign.
///
/// See <https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html>.
struct CanonicalRequest {
    /// Method, path, query, headers, their names, and the hash of the body, a line each.
    let text: String

    /// Creates the canonical form of a request; `signature` has the covered headers, and whether it is in the query
    /// itself.
    ///
    /// - Throws: ``SNSError`` `MalformedQueryString`, or `IncompleteSignature` for a missing covered header.
    init(_ request: SignedRequest, for signature: RequestSignature) throws(SNSError) {
        var lines = [request.method, Self.path(request.path)]
        lines.append(try Self.query(request.query, isPresigned: signature.lifetime != nil))
        for name in signature.signedHeaders {
            guard let value = request.header(name) else {
                throw SNSError(.incompleteSignature, "SignedHeaders names '\(name.cut)', which the request has not.")
            }
            lines.append("\(name):\(Self.trimmed(value))")
        }
        lines += ["", signature.signedHeaders.joined(separator: ";"), Hex.text(SHA256.hash(data: request.body))]
        self.text = lines.joined(separator: "\n")
    }

    /// The SHA-256 of the text, in hexadecimal digits.
    var hash: String { Hex.text(SHA256.hash(data: Array(self.text.utf8))) }

    /// The path without `.`, `..` and empty parts, percent-encoded once more than it came.
    static func path(_ path: String) -> String {
        guard path.utf8.contains(where: { $0 != UInt8(ascii: "/") }) else { return "/" }
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        let end = path.utf8.last == UInt8(ascii: "/") && !parts.isEmpty ? "/" : ""
        return "/" + parts.map { PercentEncoding.encode(String($0)) }.joined(separator: "/") + end
    }

    /// The parameters in the order of their encoded names and values, without the signature.
    private static func query(_ query: String, isPresigned: Bool) throws(SNSError) -> String {
        guard !query.isEmpty else { return "" }
        let pairs = try FormFields(Array(query.utf8), source: .query).fields.compactMap { field in
            isPresigned && field.name == QuerySignatureName.signature
                ? nil : (name: PercentEncoding.encode(field.name), value: PercentEncoding.encode(field.value))
        }
        return pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    /// A header's value without space at its ends, and with one space for each run inside.
    private static func trimmed(_ value: String) -> String {
        value.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { Substring($0) }.joined(separator: " ")
    }
}

/// The parts of an HTTP request that a signature covers, as received.
package struct SignedRequest: Sendable {
    /// `GET`, `POST`.
    package var method: String
    /// The path without the query, percent-encoded as received; empty counts as `/`.
    package var path: String
    /// The query after the first `?`, percent-encoded as received; empty for none.
    package var query: String
    /// The body, byte for byte.
    package var body: [UInt8]

    private let headers: [String: String]

    /// `headers` has every field, in order, and `host` as the client sent it, with its port.
    package init(
        method: String,
        path: String,
        query: String = "",
        headers: some Sequence<(name: String, value: String)>,
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.headers = Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { "\($0),\($1)" }
    }

    /// The values of a header by its name in lower case, joined by commas; `nil` when it is not there.
    func header(_ name: String) -> String? { self.headers[name] }
}

extension SignedRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method and path; query, headers and body may hold secrets.
    package var description: String { "\(self.method) \(self.path.cut)" }

    package var debugDescription: String { self.description }
}
