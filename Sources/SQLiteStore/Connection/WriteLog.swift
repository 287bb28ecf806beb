// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How long SQLite's log is, how much of it is copied into the database, and when to copy more: a value without either.
///
/// Unit of all lengths: pages.
struct WriteLog {
    /// From how long on the log is copied.
    static let threshold = 1024

    /// How much more than before makes another round worth its while.
    static let round = 256

    /// How much at most is copied between two commits, so that the log can begin anew.
    static let remainder = 64

    /// How long the log may get before a commit waits until all of it is copied.
    static let limit = 16_384

    /// What to do after a commit.
    enum Step: Hashable {
        case nothing
        /// Copy before the next commit.
        case copyHere
        /// Copy while others commit; ends with ``WriteLog/endCopying()``.
        case copyBeside
    }

    private var length = 0
    private var copied = 0
    private var isBeingCopied = false

    /// A commit has made the log so long; a log that has become shorter has begun anew.
    mutating func grow(to length: Int) {
        if length < self.length { self.copied = 0 }
        self.length = length
    }

    /// So much of the log is copied.
    mutating func copied(_ length: Int) {
        self.copied = max(0, length)
    }

    /// Decides what to do after a commit.
    mutating func next() -> Step {
        let left = self.length - self.copied
        guard self.length >= Self.threshold, left > 0, !self.isBeingCopied else { return .nothing }
        if left <= Self.remainder || self.length >= Self.limit { return .copyHere }
        guard left >= Self.round else { return .nothing }
        self.isBeingCopied = true
        return .copyBeside
    }

    /// What was begun by ``Step/copyBeside`` has ended.
    mutating func endCopying() {
        self.isBeingCopied = false
    }
}
