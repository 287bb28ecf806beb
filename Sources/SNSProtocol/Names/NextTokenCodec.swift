// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation

/// The cursor of the next page of a list, authenticated so that only tokens of this server are accepted, each for its
/// list.
///
/// A token is URL-safe Base64 of the cursor and of 16 bytes of an HMAC over cursor and list. The cursor itself is
/// readable: it has only values of the previous page.
package struct NextTokenCodec: Sendable {
    /// The longest token that is looked at, in bytes.
    static let maximumSize = 2048
    private static let codeSize = 16

    private let keys: @Sendable () -> [[UInt8]]

    /// A codec with keys of 32 bytes or more: the first one makes tokens, all of them verify.
    ///
    /// Servers that share a store share the keys. They are asked for with each token, since they may change.
    package init(keys: @escaping @Sendable () -> [[UInt8]]) {
        self.keys = keys
    }

    /// A token for a place, which is not empty, and a list: the operation, and the ARN whose list it is.
    ///
    /// - Returns: letters, digits, `-` and `_`.
    package func encode(_ place: String, of list: String) -> String {
        let bytes = Array(place.utf8)
        let code = Self.code(bytes, list: list, key: self.keys().first ?? [])
        return Data(code + bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The place that a token names.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for every token that this codec did not make for this list.
    package func decode(_ token: String, of list: String) throws(SNSError) -> String {
        guard token.utf8.count <= Self.maximumSize, let bytes = Self.bytes(token), bytes.count > Self.codeSize else {
            throw .invalidParameter("NextToken")
        }
        let place = Array(bytes.dropFirst(Self.codeSize))
        let isOwn = self.keys().contains { key in
            zip(bytes, Self.code(place, list: list, key: key)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        }
        guard isOwn, let text = String(validating: place, as: UTF8.self) else { throw .invalidParameter("NextToken") }
        return text
    }

    private static func bytes(_ token: String) -> [UInt8]? {
        let text = token.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map(Array.init)
    }

    private static func code(_ place: [UInt8], list: String, key: [UInt8]) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        code.update(data: Array("\(list.utf8.count):\(list)".utf8))
        code.update(data: place)
        return Array(code.finalize().prefix(self.codeSize))
    }
}
