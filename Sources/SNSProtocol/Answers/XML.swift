// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A parsed element of an XML response.
///
/// It supports the subset of XML that AWS services write: elements, texts and the five entities; attributes, comments
/// and the prolog are skipped.
///
/// Parsing is by Unicode scalars: a text may start with a combining mark, which forms one `Character` with the
/// preceding `>`.
package struct XMLElement: Hashable, Sendable {
    /// The name, without a prefix.
    package let name: String
    /// The text in it outside of child elements.
    package private(set) var text = ""
    package private(set) var children: [XMLElement] = []

    /// How deep elements go at most; the deepest of an answer of SNS has 7 levels.
    static let maximumDepth = 32

    /// Parses a document; `nil` if it is invalid.
    package init?(_ document: String) {
        var open: [XMLElement] = []
        var rest = document.unicodeScalars[...]
        while let start = rest.firstIndex(of: "<") {
            if !open.isEmpty { open[open.count - 1].text += Self.decoded(rest[..<start]) }
            rest = rest[rest.index(after: start)...]
            if rest.starts(with: "!--".unicodeScalars) {
                guard let end = rest.firstRange(of: "-->".unicodeScalars)?.upperBound else { return nil }
                rest = rest[end...]
                continue
            }
            guard let end = rest.firstIndex(of: ">") else { return nil }
            let tag = rest[..<end]
            rest = rest[rest.index(after: end)...]
            if tag.first == "?" || tag.first == "!" { continue }
            if tag.first == "/" {
                guard let last = open.popLast(), last.name == Self.name(tag.dropFirst()) else { return nil }
                if open.isEmpty {
                    self = last
                    return
                }
                open[open.count - 1].children.append(last)
                continue
            }
            guard open.count < Self.maximumDepth else { return nil }
            let element = XMLElement(name: Self.name(tag))
            if tag.last != "/" {
                open.append(element)
            } else if open.isEmpty {
                self = element
                return
            } else {
                open[open.count - 1].children.append(element)
            }
        }
        return nil
    }

    private init(name: String) { self.name = name }

    package subscript(name: String) -> XMLElement? { self.children.first { $0.name == name } }

    /// The members of a list: `<Topics><member>...`.
    package func members(of name: String) -> [XMLElement] { self[name]?.children.filter { $0.name == "member" } ?? [] }

    /// A map: `<Attributes><entry><key>...</key><value>...</value></entry>`.
    package func map(_ name: String) -> [String: String] {
        let entries = self[name]?.children.filter { $0.name == "entry" } ?? []
        let pairs = entries.compactMap { entry in entry["key"].map { ($0.text, entry["value"]?.text ?? "") } }
        return Dictionary(pairs) { $1 }
    }

    private static func name(_ tag: Substring.UnicodeScalarView) -> String {
        let name = tag.prefix { !$0.properties.isWhitespace && $0 != "/" }
        return String(name.split(separator: ":").last ?? name)
    }

    private static func decoded(_ text: Substring.UnicodeScalarView) -> String {
        guard text.contains("&") else { return String(text) }
        var output = String.UnicodeScalarView()
        var rest = text
        while let start = rest.firstIndex(of: "&") {
            output += rest[..<start]
            let end = rest[start...].firstIndex(of: ";") ?? rest.endIndex
            let name = rest[start..<end].dropFirst()
            output += self.entity(String(name)).unicodeScalars
            rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
        }
        return String(output + rest)
    }

    private static func entity(_ name: String) -> String {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
            let digits = name.drop { "#xX".contains($0) }
            let scalar = UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
            return scalar.map { String(Character($0)) } ?? ""
        }
    }
}

/// Writes XML in UTF-8, an element at a time, without space between elements.
struct XMLWriter {
    private(set) var bytes: [UInt8] = []

    init() {
        self.bytes.reserveCapacity(512)
    }

    mutating func element(_ name: String, xmlns: String? = nil, _ body: (inout XMLWriter) -> Void) {
        self.raw("<\(name)")
        if let xmlns { self.raw(" xmlns=\"\(xmlns)\"") }
        self.raw(">")
        body(&self)
        self.raw("</\(name)>")
    }

    /// Writes an element with a text; an empty one has no end tag.
    mutating func element(_ name: String, _ text: String) {
        guard !text.isEmpty else { return self.empty(name) }
        self.element(name) { $0.text(text) }
    }

    mutating func empty(_ name: String) { self.raw("<\(name)/>") }

    private mutating func text(_ text: String) {
        // Most texts have nothing to escape.
        if text.utf8.allSatisfy(XMLText.isPlain) { return self.raw(text) }
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

/// The characters that are valid in XML 1.0.
///
/// A control character cannot even be escaped: clients' parsers reject the complete response. So values that are stored
/// and returned later are validated, and values that are only repeated in an error get U+FFFD instead.
enum XMLText {
    static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Whether a byte is an ASCII character that needs no escape.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): false
        default: (0x20...0x7E).contains(byte)
        }
    }

    /// The first character of a text that is invalid in XML, and its position, as a phrase; `nil` if there is none.
    static func fault(in text: String) -> String? {
        var offset = 0
        for scalar in text.unicodeScalars {
            guard self.allows(scalar) else {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let name = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                return "must be text that XML can carry, got U+\(name) at byte \(offset)"
            }
            offset += scalar.utf8.count
        }
        return nil
    }
}
