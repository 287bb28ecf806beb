// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension String {
    /// The parts between separators, empty ones included.
    ///
    /// Compares bytes, because a comparison of characters takes several times as long.
    func parts(separatedBy separator: UInt8, maxSplits: Int = .max) -> [Substring] {
        self.utf8.split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}
