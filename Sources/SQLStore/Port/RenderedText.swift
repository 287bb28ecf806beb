// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// A text for SQLite that is rendered.
private struct RenderedText {
    static let maximumCount = 2000

    /// The texts by the hashes of their parts.
    static let known = Mutex<[UInt: RenderedText]>([:])

    let parts: [SQL.Part]
    let text: String
    let number: Int
}

extension SQL {
    /// The text for SQLite, with the number by which a connection finds the prepared statement.
    ///
    /// The text is rendered once for the same literals. The number is `nil` if the process has rendered too many texts.
    package var numberedText: (text: String, number: Int?) {
        if let statement { return (statement.text(for: .sqlite), statement.number) }
        let key = self.parts.reduce(0 as UInt) { hash, part in
            let (address, length) = part.identity
            return hash &* 31 &+ address &+ length
        }
        if let rendered = RenderedText.known.withLock({ $0[key] }) {
            let isSame = rendered.parts.elementsEqual(self.parts) { $0.identity == $1.identity }
            return isSame ? (rendered.text, rendered.number) : (self.text(for: .sqlite), nil)
        }
        let text = self.text(for: .sqlite)
        let number = RenderedText.known.withLock { known -> Int? in
            guard known.count < RenderedText.maximumCount, known[key] == nil else { return nil }
            let number = SQLStatement.nextNumber()
            known[key] = RenderedText(parts: self.parts, text: text, number: number)
            return number
        }
        return (text, number)
    }
}

extension SQL.Part {
    /// Two numbers that are equal for parts with the same text for SQLite: the address of the literal and its length.
    fileprivate var identity: (UInt, UInt) {
        switch self {
        case .text(let text), .only(.sqlite, let text):
            text.hasPointerRepresentation
                ? (UInt(bitPattern: text.utf8Start), UInt(text.utf8CodeUnitCount)) : (1, UInt(text.unicodeScalar.value))
        case .only(.postgres, _), .rows: (0, 0)
        case .value, .column: (0, 1)
        case .keys: (0, 2)
        }
    }
}
