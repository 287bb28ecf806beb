// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import StoreTesting

/// What tests write into a database to damage it.
extension TestStoreBackend {
    /// The largest number that every column for whole numbers takes.
    var largest: Int64 { self == .sqlite ? .max : Int64(Int32.max) }

    /// The bytes of a text, as SQL.
    func bytes(_ text: String) -> String {
        let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return self == .sqlite ? "x'\(digits)'" : #"'\x\#(digits)'"#
    }
}
