// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is posted to a receiver: header fields and a body.
package struct PostRequest: Hashable, Sendable {
    /// A header field.
    package struct Field: Hashable, Sendable {
        /// Its name.
        package let name: String

        /// Its value.
        package let value: String

        /// Takes both.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The header fields, beside those that speak of the connection and of the body's length.
    package let fields: [Field]

    /// The body.
    package let body: [UInt8]

    /// Takes both.
    package init(fields: [Field], body: [UInt8]) {
        self.fields = fields
        self.body = body
    }
}
