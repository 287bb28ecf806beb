// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// An element of an answer in XML, read.
///
/// As much of XML as services of AWS write: elements, texts and the five entities; attributes, comments and what stands before
/// the first element are passed over.
public struct XMLElement: Hashable, Sendable {
    /// The name, without a prefix.
    public let name: String
    /// What stands in it beside elements.
    public private(set) var text = ""
    /// The elements in it, in their order.
    public private(set) var children: [XMLElement] = []

    /// How deep elements go at most; the deepest of an answer of SNS has 7 levels.
    static let maximumDepth = 32

    /// Reads a document; `nil` for what is none.
    public init?(_ document: String) {
        var open: [XMLElement] = []
        var rest = Substring(document)
        while let start = rest.firstIndex(of: "<") {
            if !open.isEmpty { open[open.count - 1].text += Self.decoded(rest[..<start]) }
            rest = rest[rest.index(after: start)...]
            if rest.hasPrefix("!--") {
                guard let end = rest.firstRange(of: "-->")?.upperBound else { return nil }
                rest = rest[end...]
                continue
            }
            guard let end = rest.firstIndex(of: ">") else { return nil }
            let tag = rest[..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?") || tag.hasPrefix("!") { continue }
            if tag.hasPrefix("/") {
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
            if !tag.hasSuffix("/") {
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

    /// The first element of a name in this one.
    public subscript(name: String) -> XMLElement? { self.children.first { $0.name == name } }

    /// The members of a list: `<Topics><member>...`.
    public func members(of name: String) -> [XMLElement] { self[name]?.children.filter { $0.name == "member" } ?? [] }

    /// A map: `<Attributes><entry><key>...</key><value>...</value></entry>`.
    public func map(_ name: String) -> [String: String] {
        let entries = self[name]?.children.filter { $0.name == "entry" } ?? []
        let pairs = entries.compactMap { entry in entry["key"].map { ($0.text, entry["value"]?.text ?? "") } }
        return Dictionary(pairs) { $1 }
    }

    private static func name(_ tag: Substring) -> String {
        let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
        return String(name.split(separator: ":").last ?? name)
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var output = ""
        var rest = text
        while let start = rest.firstIndex(of: "&") {
            output += rest[..<start]
            let end = rest[start...].firstIndex(of: ";") ?? rest.endIndex
            let name = rest[start..<end].dropFirst()
            output += self.entity(name)
            rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
        }
        return output + rest
    }

    private static func entity(_ name: Substring) -> String {
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
