// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Texts as databases compare them: byte by byte, with no regard to Unicode's equivalences.
extension String {
    /// Whether both texts are the same bytes.
    func hasSameBytes(as other: String) -> Bool { self.utf8.elementsEqual(other.utf8) }

    /// Whether the text begins with the bytes of another.
    func hasSameBytes(asPrefix other: String) -> Bool { self.utf8.starts(with: other.utf8) }

    /// Whether the bytes of another text stand somewhere in this one.
    func hasBytes(of other: String) -> Bool {
        let own = Array(self.utf8)
        let sought = Array(other.utf8)
        guard !sought.isEmpty else { return true }
        guard own.count >= sought.count else { return false }
        return (0...(own.count - sought.count)).contains { own[$0..<($0 + sought.count)].elementsEqual(sought) }
    }
}
