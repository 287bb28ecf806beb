// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which part of a list is asked for: `?after=<cursor>&limit=<n>`.
struct PageRequest: Sendable {
    /// The most elements of one answer.
    static let limits = 1...1000

    /// How many elements an answer has unless the caller says otherwise.
    static let defaultLimit = 100

    let after: String?
    let limit: Int

    /// Takes the parameters of a query.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a limit that is no number in ``limits``.
    init(_ query: [String: String]) throws(Problem) {
        self.after = query["after"]
        guard let text = query["limit"] else {
            self.limit = Self.defaultLimit
            return
        }
        guard let limit = Int(text), Self.limits.contains(limit) else {
            throw Problem(
                .invalidRequest,
                at: .query("limit"),
                expected: "a whole number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)",
                got: "\(text.utf8.count) characters that are none"
            )
        }
        self.limit = limit
    }

    /// The cursor in the store's own form.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a cursor that no answer can have held.
    func cursor<Cursor>(_ make: (String) -> Cursor?) throws(Problem) -> Cursor? {
        guard let after else { return nil }
        guard let cursor = make(after) else {
            throw Problem(
                .invalidRequest,
                at: .query("after"),
                expected: "the value of 'next' of the answer before",
                got: "\(after.utf8.count) bytes of another form"
            )
        }
        return cursor
    }
}
