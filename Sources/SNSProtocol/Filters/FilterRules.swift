// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The rules of one name, one of which must match.
struct FilterRules: Hashable, Sendable {
    /// Texts, exactly.
    var texts: Set<String> = []
    /// Strings that match regardless of case, in lower case.
    var foldedTexts: Set<String> = []
    var numbers: Set<Double> = []
    /// `true`, `false` and `null`.
    var words: Set<JSONValue> = []
    var prefixes: [String] = []
    var suffixes: [String] = []
    var ranges: [NumericRange] = []
    var networks: [IPNetwork] = []
    var exclusions: [AnythingButRule] = []
    /// Whether `{"exists": true}` and `{"exists": false}` are among the rules.
    var exists: Set<Bool> = []

    /// Whether one of the rules holds.
    func match(_ field: FilterValues.Field) -> Bool {
        self.exists.contains(field.exists) || field.values.contains(where: self.match)
    }

    private func match(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): self.match(text)
        case .integer(let number): self.match(Double(number), value)
        case .double(let number): self.match(number, value)
        default: self.words.contains(value) || self.exclusions.contains { $0.match(value) }
        }
    }

    private func match(_ text: String) -> Bool {
        if text.isStreamSafe {
            if self.texts.contains(text) { return true }
            if !self.foldedTexts.isEmpty, self.foldedTexts.contains(text.lowercased()) { return true }
        }
        if self.prefixes.contains(where: { text.utf8.starts(with: $0.utf8) }) { return true }
        if self.suffixes.contains(where: { text.utf8.reversed().starts(with: $0.utf8.reversed()) }) { return true }
        if !self.networks.isEmpty, let address = IPAddress(text),
            self.networks.contains(where: { $0.contains(address) })
        {
            return true
        }
        return self.exclusions.contains { $0.match(.string(text)) }
    }

    private func match(_ number: Double, _ value: JSONValue) -> Bool {
        self.numbers.contains(number) || self.ranges.contains { $0.contains(number) }
            || self.exclusions.contains { $0.match(value) }
    }
}

/// All values except these: a rule `anything-but`.
///
/// A missing value does not match.
struct AnythingButRule: Hashable, Sendable {
    var texts: Set<String> = []
    var numbers: Set<Double> = []
    /// A text must not begin with it.
    var prefix: String?

    /// Whether the value is none of these.
    func match(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text):
            if let prefix = self.prefix { return !text.utf8.starts(with: prefix.utf8) }
            return !text.isStreamSafe || !self.texts.contains(text)
        case .integer(let number): return !self.numbers.contains(Double(number))
        case .double(let number): return !self.numbers.contains(number)
        default: return true
        }
    }
}

extension FilterRules {
    /// Compiles the rules of one name.
    ///
    /// - Throws: ``FilterPolicyError`` in SNS' words.
    init(_ patterns: [JSONValue]) throws(FilterPolicyError) {
        for pattern in patterns {
            switch pattern {
            case .string: self.texts.insert(try Self.text(pattern, of: "text"))
            case .integer, .double:
                let number = pattern.filterNumber ?? 0
                try NumericRange.check(number)
                self.numbers.insert(number)
            case .bool, .null: self.words.insert(pattern)
            case .object(let members): try self.add(members)
            case .array:
                throw FilterPolicyError("Match value must be String, number, true, false, or null")
            }
        }
    }

    private mutating func add(_ expression: [String: JSONValue]) throws(FilterPolicyError) {
        guard expression.count <= 1 else { throw FilterPolicyError("Only one key allowed in match expression") }
        guard let (name, value) = expression.first else { throw FilterPolicyError("Unrecognized match type }") }
        switch name {
        case "prefix": self.prefixes.append(try Self.text(value, of: name))
        case "suffix": self.suffixes.append(try Self.text(value, of: name))
        case "equals-ignore-case": self.foldedTexts.insert(try Self.text(value, of: name).lowercased())
        // SNS says "prefix" here too.
        case "cidr": self.networks.append(try IPNetwork(try Self.text(value, of: "prefix")))
        case "numeric": self.ranges.append(try NumericRange(value))
        case "anything-but": self.exclusions.append(try AnythingButRule(value))
        case "exists":
            guard case .bool(let flag) = value else {
                throw FilterPolicyError("exists match pattern must be either true or false.")
            }
            self.exists.insert(flag)
        default: throw FilterPolicyError("Unrecognized match type \(name.cut)")
        }
    }

    fileprivate static func text(_ value: JSONValue, of name: String) throws(FilterPolicyError) -> String {
        guard case .string(let text) = value else {
            throw FilterPolicyError("\(name) match pattern must be a string")
        }
        // It is compared with the values of each message.
        guard text.isStreamSafe else {
            throw FilterPolicyError("\(name) match pattern must have at most 30 combining marks in a row")
        }
        return text
    }
}

extension AnythingButRule {
    /// Compiles a rule `anything-but`: a text, a number, a list of these, or `{"prefix": ...}`.
    fileprivate init(_ value: JSONValue) throws(FilterPolicyError) {
        switch value {
        case .array(let elements):
            guard !elements.isEmpty else { throw FilterPolicyError("Empty arrays are not allowed") }
            for element in elements { try self.add(element) }
        case .object(let members):
            guard members.count <= 1 else { throw FilterPolicyError("Only one key allowed in match expression") }
            guard let prefix = members["prefix"] else {
                throw FilterPolicyError("Unsupported anything-but pattern: \(members.keys.first?.cut ?? "}")")
            }
            self.prefix = try FilterRules.text(prefix, of: "prefix")
        default: try self.add(value)
        }
    }

    private mutating func add(_ element: JSONValue) throws(FilterPolicyError) {
        switch element {
        case .string: self.texts.insert(try FilterRules.text(element, of: "anything-but"))
        case .integer, .double:
            let number = element.filterNumber ?? 0
            try NumericRange.check(number)
            self.numbers.insert(number)
        default:
            throw FilterPolicyError("Value of anything-but must be an array or single string/number value.")
        }
    }
}

/// The numbers of a rule `numeric`.
struct NumericRange: Hashable, Sendable {
    private var lower = -Double.infinity
    private var upper = Double.infinity
    private var includesLower = true
    private var includesUpper = true

    /// The numbers that policies may name.
    static let bounds = -1e9...1e9

    func contains(_ number: Double) -> Bool {
        (self.includesLower ? number >= self.lower : number > self.lower)
            && (self.includesUpper ? number <= self.upper : number < self.upper)
    }

    /// Reads `["=", 1]`, `["<", 5]` or `[">=", 0, "<", 5]`.
    ///
    /// - Throws: ``FilterPolicyError`` in SNS' words.
    init(_ value: JSONValue) throws(FilterPolicyError) {
        guard case .array(let terms) = value else { throw FilterPolicyError("Value of numeric must be an array.") }
        guard case .string(let first)? = terms.first else {
            throw FilterPolicyError("Invalid member in numeric match: \(terms.first?.filterText ?? "]")")
        }
        guard first.isStreamSafe, ["=", "<", "<=", ">", ">="].contains(first) else {
            throw FilterPolicyError("Unrecognized numeric range operator: \(first.cut)")
        }
        try self.apply(first, terms.dropFirst().first)
        guard terms.count > 2 else { return }
        guard first.hasPrefix(">") else { throw FilterPolicyError("Too many elements in numeric expression") }
        guard case .string(let second) = terms[2] else {
            throw FilterPolicyError("Bad value in numeric range: \(terms[2].filterText)")
        }
        guard second.isStreamSafe, ["<", "<="].contains(second) else {
            throw FilterPolicyError("Bad numeric range operator: \(second.cut)")
        }
        try self.apply(second, terms.dropFirst(3).first)
        guard terms.count == 4 else { throw FilterPolicyError("Too many terms in numeric range expression") }
        guard self.lower < self.upper else { throw FilterPolicyError("Bottom must be less than top") }
    }

    private mutating func apply(_ name: String, _ term: JSONValue?) throws(FilterPolicyError) {
        guard let number = term?.filterNumber else {
            throw FilterPolicyError("Value of \(name == "=" ? "equals" : name) must be numeric")
        }
        try Self.check(number)
        switch name {
        case "=": (self.lower, self.upper) = (number, number)
        case "<", "<=":
            self.upper = number
            self.includesUpper = name == "<="
        default:
            self.lower = number
            self.includesLower = name == ">="
        }
    }

    /// - Throws: ``FilterPolicyError`` for a number that policies may not name.
    static func check(_ number: Double) throws(FilterPolicyError) {
        guard self.bounds.contains(number) else {
            throw FilterPolicyError("Value must be between -1.0E9 and 1.0E9, inclusive")
        }
    }
}

extension JSONValue {
    var filterNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The value as SNS' errors repeat it.
    var filterText: String {
        switch self {
        case .null: "null"
        case .bool(let flag): String(flag)
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text.cut
        case .array: "["
        case .object: "{"
        }
    }
}

/// The input of a filter policy: the values of a message by name.
struct FilterValues: Hashable, Sendable {
    /// The values of one name.
    struct Field: Hashable, Sendable {
        var exists: Bool
        /// The single values: a list counts as its elements.
        var values: [JSONValue]

        static let absent = Field(exists: false, values: [])
    }

    /// A value, and the parts of its name.
    private typealias Member = (path: ArraySlice<String>, value: JSONValue)

    private var fields: [String: Field] = [:]
    private var objects: [String: [FilterValues]] = [:]

    static let none = FilterValues()

    private init() {}

    init(_ attributes: [String: MessageAttribute]) {
        self.fields = attributes.mapValues(\.filterField)
    }

    /// Creates the values of a JSON object, including the meaning of names with dots: `a.b` is `b` in `a`.
    ///
    /// `level` is the number of names that lead to the object.
    init(_ object: [String: JSONValue], level: Int = 0) {
        guard object.keys.contains(where: FilterPath.hasDot) else {
            for (name, value) in object { self.add(value, to: name, level: level) }
            return
        }
        self.add(Self.members(of: object), level: level)
    }

    private init(_ members: [Member], level: Int) { self.add(members, level: level) }

    func field(_ name: String) -> Field { self.fields[name] ?? .absent }

    /// The objects under a name; where there is none, one without values, in which everything is absent.
    func objects(_ name: String) -> [FilterValues] { self.objects[name] ?? [.none] }

    private static func members(of object: [String: JSONValue]) -> [Member] {
        object.map { (FilterPath.parts(of: $0.key)[...], $0.value) }
    }

    /// Adds members, several of which may have the same name: objects are merged, other values become a list.
    ///
    /// It collects all members of a name before it processes them. So neither the time nor the depth grows faster than
    /// the message, regardless of the notation of its names.
    private mutating func add(_ members: [Member], level: Int) {
        var below: [String: [Member]] = [:]
        for (path, value) in members {
            guard let name = path.first else { continue }
            if path.count > 1 {
                below[name, default: []].append((path.dropFirst(), value))
            } else if case .object(let object) = value {
                below[name, default: []] += Self.members(of: object)
            } else {
                self.add(value, to: name, level: level)
            }
        }
        guard level + 1 < FilterPath.maximumLevels else { return }
        for (name, members) in below {
            self.objects[name, default: []].append(FilterValues(members, level: level + 1))
        }
    }

    private mutating func add(_ value: JSONValue, to name: String, level: Int) {
        switch value {
        case .object(let members):
            guard level + 1 < FilterPath.maximumLevels else { return }
            self.objects[name, default: []].append(FilterValues(members, level: level + 1))
        case .array(let elements): for element in elements { self.add(element, to: name, level: level) }
        default: self.fields[name, default: Field(exists: true, values: [])].values.append(value)
        }
    }
}
