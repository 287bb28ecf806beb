// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What of an HTTP request a signature covers, as it came over the wire.
public struct SignedRequest: Sendable {
    /// `GET`, `POST`.
    public var method: String
    /// The path without the query, percent-encoded as received; empty counts as `/`.
    public var path: String
    /// What follows the first `?`, percent-encoded as received; empty for none.
    public var query: String
    /// The body, byte for byte.
    public var body: [UInt8]

    private let headers: [String: [String]]

    /// A request.
    ///
    /// - Parameters:
    ///   - method: `GET` or `POST`.
    ///   - path: without the query, as received.
    ///   - query: what follows `?`, as received.
    ///   - headers: every field, in order. `host` is the one that the client sent, with its port.
    ///   - body: byte for byte.
    public init(
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
        self.headers = Dictionary(headers.map { ($0.name.lowercased(), [$0.value]) }, uniquingKeysWith: +)
    }

    /// The values of a header by its name in lower case, joined by commas; `nil` when it is not there.
    func header(_ name: String) -> String? {
        self.headers[name]?.joined(separator: ",")
    }
}

extension SignedRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method and path; query, headers and body may hold secrets.
    public var description: String { "\(self.method) \(self.path.cut)" }

    /// See ``description``.
    public var debugDescription: String { self.description }
}
