// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SNSProtocol

/// The pages of lists, and the tokens between them.
struct SNSPages: Sendable {
    /// How many elements a page has.
    let size: Int

    let codec: NextTokenCodec

    /// The place that a token names; `nil` for the first page.
    ///
    /// - Throws: `SNSError` `InvalidParameter` for every token that was not given out for this list.
    func place<Place>(
        _ token: String?,
        of list: String,
        _ read: (String) -> Place?
    ) throws(SNSError) -> Place? {
        guard let token, !token.isEmpty else { return nil }
        guard let place = read(try self.codec.decode(token, of: list)) else {
            throw .invalidParameter("NextToken")
        }
        return place
    }

    /// The token of a place.
    func token(_ place: String, of list: String) -> String { self.codec.encode(place, of: list) }
}
