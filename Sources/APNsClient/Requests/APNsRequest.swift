// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One request to an APNs server in its wire form, without validation.
package struct APNsRequest: Sendable {
    package var method: String
    package var path: String

    /// The header fields after `authorization`, with names in lower case.
    package var headers: [(name: StaticString, value: String)]
    package var body: [UInt8]

    /// Whether the session adds the provider token of its key.
    package var carriesProviderToken = true

    package init(
        method: String = "POST",
        path: String,
        headers: [(name: StaticString, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// The response to an ``APNsRequest``.
package struct APNsResponse: Sendable {
    /// The most bytes of a body that are read: a list of 10,000 channels has less than half of that.
    static let maximumBody = 4 << 20

    package var status = 0

    /// The header fields by name, without `:status`.
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []
}

/// Why a request has no response.
package struct RequestLoss: Error, CustomStringConvertible {
    /// Whether the server may have processed the request.
    package let wasSent: Bool
    package let message: String

    package var description: String { self.message }
}
