// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Reads the parameters of one operation, or of one element of a list, and gathers those that are missing.
///
/// SNS names all that is missing in one error: read everything, then call ``finish()``.
struct ParameterReader {
    private let node: ParameterNode
    private let path: String
    private(set) var missing: [String] = []

    /// Creates a reader; `path` is the prefix of names in errors: empty, or `tags.1.member.`.
    init(_ node: ParameterNode, path: String = "") {
        self.node = node
        self.path = path
    }

    func text(_ name: String) -> String? { self.node[name]?.value }

    /// A text that has to be there, though it may be empty.
    mutating func required(_ name: String) -> String {
        guard let value = self.node[name]?.value else {
            self.note(name)
            return ""
        }
        return value
    }

    /// `true` or `false`, in any case.
    func flag(_ name: String) throws(SNSError) -> Bool? {
        guard let text = self.node[name]?.value, !text.isEmpty else { return nil }
        guard let flag = Bool(text.lowercased()) else {
            throw .invalidParameter(name, reason: "must be true or false, got '\(text.cut)'")
        }
        return flag
    }

    /// The elements of a list; `nil` when the parameter is absent, empty for `Name=`.
    func list(_ name: String) throws(SNSError) -> [ParameterNode]? {
        guard let node = self.node[name] else { return nil }
        return try node.elements("member", of: name)
    }

    /// The elements of a list that has to be there.
    mutating func requiredList(_ name: String) throws(SNSError) -> [ParameterNode] {
        guard let list = try self.list(name) else {
            self.note(name)
            return []
        }
        return list
    }

    /// The entries of a map; `nil` when there is none.
    func entries(_ name: String) throws(SNSError) -> [ParameterNode]? {
        guard let node = self.node[name] else { return nil }
        return try node.elements("entry", of: name)
    }

    /// Reads a map of strings; `nil` if there is none.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for a duplicate key.
    mutating func map(_ name: String) throws(SNSError) -> [String: String]? {
        guard let entries = try self.entries(name) else { return nil }
        var map: [String: String] = [:]
        for (index, entry) in entries.enumerated() {
            var reader = ParameterReader(entry, path: "\(self.constraintPath(name)).\(index + 1).")
            let key = reader.required("key")
            let value = reader.required("value")
            self.missing += reader.missing
            guard key.isStreamSafe else {
                throw .invalidParameter(name, reason: "a key has at most 30 combining marks in a row, got more")
            }
            guard map.updateValue(value, forKey: key) == nil || !reader.missing.isEmpty else {
                throw .invalidParameter(name, reason: "'\(key.cut)' is given twice")
            }
        }
        return map
    }

    /// A map of texts that has to be there.
    mutating func requiredMap(_ name: String) throws(SNSError) -> [String: String] {
        guard let map = try self.map(name) else {
            self.note(name)
            return [:]
        }
        return map
    }

    /// Adds the missing parameters of another reader.
    mutating func add(_ other: ParameterReader) { self.missing += other.missing }

    /// - Throws: ``SNSError`` `ValidationError` with all that was missing.
    func finish() throws(SNSError) {
        guard self.missing.isEmpty else { throw .missing(self.missing) }
    }

    /// The path of a parameter as SNS' constraints write it: `topicArn`, `tags.1.member.key`.
    func constraintPath(_ name: String) -> String {
        self.path + name.prefix(1).lowercased() + name.dropFirst()
    }

    private mutating func note(_ name: String) { self.missing.append(self.constraintPath(name)) }
}

/// A parameter with its nested ones: `Tags.member.1.Key` is four levels below the request.
struct ParameterNode: Sendable {
    /// How deep names go; the deepest of SNS, those of a batch's message attributes, have 8 parts.
    static let maximumDepth = 12

    var value: String?
    private var children: [String: ParameterNode] = [:]

    /// The parameters of a form.
    ///
    /// - Throws: ``SNSError`` `MalformedQueryString` for a name with too many parts.
    init(_ form: FormFields) throws(SNSError) {
        for field in form.fields {
            let parts = field.name.parts(separatedBy: UInt8(ascii: "."))
            guard parts.count <= Self.maximumDepth else {
                throw SNSError(
                    .malformedQueryString,
                    "A parameter's name has at most \(Self.maximumDepth) parts, '\(field.name.cut)' has \(parts.count)."
                )
            }
            self.insert(field.value, at: parts[...])
        }
    }

    private init() {}

    private mutating func insert(_ value: String, at path: ArraySlice<Substring>) {
        guard let first = path.first else { return self.value = value }
        self.children[String(first), default: ParameterNode()].insert(value, at: path.dropFirst())
    }

    subscript(name: String) -> ParameterNode? { self.children[name] }

    /// Returns the elements of a list or the entries of a map, in the order of their numbers: those at `kind.N`.
    ///
    /// `kind` is `member` or `entry`.
    ///
    /// - Returns: an empty list if there are none.
    /// - Throws: ``SNSError`` `InvalidParameter` for an invalid number.
    func elements(_ kind: String, of name: String) throws(SNSError) -> [ParameterNode] {
        guard let numbered = self.children[kind]?.children else { return [] }
        var elements: [(number: Int, node: ParameterNode)] = []
        for (text, node) in numbered {
            guard let number = Int(text), number > 0, text.utf8.count <= 9 else {
                throw .invalidParameter(
                    name,
                    reason: "\(kind) must be followed by a number from 1 up, got '\(text.cut)'"
                )
            }
            elements.append((number, node))
        }
        return elements.sorted { $0.number < $1.number }.map(\.node)
    }
}
