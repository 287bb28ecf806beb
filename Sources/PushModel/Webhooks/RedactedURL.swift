// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation

/// A URL without its secret parts: user, password, path and query.
package struct RedactedURL: Hashable, Sendable {
    /// The scheme and the host.
    package let origin: String

    /// The start of the SHA-256 of the whole URL: it differs if any part differs.
    package let digest: String

    package init(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).prefix(3)
        let authority = parts.count == 3 ? parts[2].prefix { $0 != "?" && $0 != "#" } : ""
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        self.origin = "\(parts.first ?? "")//\(host)"
        self.digest = Hex.text(SHA256.hash(data: Data(text.utf8)).prefix(8))
    }
}
