// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit

extension Activity {
    /// The listing's call, with a token.
    ///
    /// It names no `pushType`, which is `nil` by default: on a phone too its activity would never have a token, so that
    /// the lines behind it would register none.
    static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>
    ) throws -> Activity<Attributes> {
        try Self.request(attributes: attributes, content: content, pushType: .token)
    }
}
