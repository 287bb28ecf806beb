// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SNSProtocol

extension SubscriptionTarget {
    /// The same without the password of a URL, in whose place four asterisks stand, as SNS shows it.
    var maskingPassword: SubscriptionTarget {
        guard case .url(let text) = self, let start = text.firstRange(of: "://")?.upperBound else { return self }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else {
            return self
        }
        return .url("\(text[...colon])****\(text[end...])")
    }
}
