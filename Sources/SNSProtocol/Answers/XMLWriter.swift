// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Writes XML in UTF-8, an element at a time, without space between elements.
struct XMLWriter {
    private(set) var bytes: [UInt8] = []

    /// An element with what `body` writes into it.
    mutating func element(_ name: String, xmlns: String? = nil, _ body: (inout XMLWriter) -> Void) {
        self.raw("<\(name)")
        if let xmlns { self.raw(" xmlns=\"\(xmlns)\"") }
        self.raw(">")
        body(&self)
        self.raw("</\(name)>")
    }

    /// An element with a text; an empty one has no end tag of its own.
    mutating func element(_ name: String, _ text: String) {
        guard !text.isEmpty else { return self.empty(name) }
        self.element(name) { $0.text(text) }
    }

    /// An element with nothing in it.
    mutating func empty(_ name: String) { self.raw("<\(name)/>") }

    private mutating func text(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": self.raw("&amp;")
            case "<": self.raw("&lt;")
            case ">": self.raw("&gt;")
            case "\"": self.raw("&quot;")
            // Bare, a parser would make a line feed of it.
            case "\r": self.raw("&#xD;")
            case _ where XMLText.allows(scalar): self.bytes.append(contentsOf: scalar.utf8)
            default: self.raw("\u{FFFD}")
            }
        }
    }

    private mutating func raw(_ text: String) { self.bytes.append(contentsOf: text.utf8) }
}
