// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A parameter with those below it: `Tags.member.1.Key` stands four levels below the request.
struct ParameterNode: Sendable {
    /// How deep names go; the deepest of SNS, those of a batch's message attributes, have 8 parts.
    static let maximumDepth = 12

    /// The value that stands here.
    var value: String?
    private var children: [String: ParameterNode] = [:]

    /// The parameters of a form.
    ///
    /// - Throws: ``SNSError`` `MalformedQueryString` for a name with too many parts.
    init(_ form: FormFields) throws(SNSError) {
        for field in form.fields {
            let parts = field.name.split(separator: ".", omittingEmptySubsequences: false)
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

    /// What stands below, by its name.
    subscript(name: String) -> ParameterNode? { self.children[name] }

    /// The names of what stands below.
    var names: some Collection<String> { self.children.keys }

    /// The elements of a list or the entries of a map, in the order of their numbers: what stands at `kind.N`.
    ///
    /// - Parameters:
    ///   - kind: `member` or `entry`.
    ///   - name: of the parameter, for an error.
    /// - Returns: none where there is nothing of the kind.
    /// - Throws: ``SNSError`` `InvalidParameter` for what is no number.
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
