// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the catalogue says of one ``ProblemCode``.
public struct ProblemEntry: Hashable, Sendable {
    /// The HTTP status that it comes with.
    public let status: Int

    /// The same for every occurrence, as RFC 9457 asks of a title.
    public let title: String

    /// When it occurs, in a sentence or two.
    public let meaning: String

    /// What the caller, or the operator, does about it.
    public let fix: String

    /// Seconds after which a repetition has a chance, as told by `Retry-After`; `nil` when time alone mends nothing.
    public let retryAfter: Int?

    init(_ status: Int, _ title: String, _ meaning: String, fix: String, retryAfter: Int? = nil) {
        self.status = status
        self.title = title
        self.meaning = meaning
        self.fix = fix
        self.retryAfter = retryAfter
    }
}
