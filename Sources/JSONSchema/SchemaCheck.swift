// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// One value that is held against a schema.
struct SchemaCheck {
    /// The maximum number of reported errors.
    static let maximumFaults = 20

    /// How many steps a check may take: alternatives within alternatives would take for ever.
    ///
    /// Holding one value against one schema is a step, and more where that compares much.
    static let maximumSteps = 20_000

    /// How deep values and references may nest.
    ///
    /// Each level is a level of recursion that takes up to 5 KiB of stack, and worker threads on macOS and with musl
    /// have 512 KiB.
    static let maximumDepth = 64

    /// The error for a value that takes too many steps, or is nested too deeply.
    static let tooComplex = (rule: "a simpler value for this schema", value: "too many cases to try, or too deep")

    private enum Component {
        case member(String)
        case element(Int)
    }

    let schema: JSONSchema
    let field: String
    private(set) var faults: [InvalidValueError] = []
    private var path: [Component] = []
    private var steps = 0
    private var depth = 0

    /// Whether the steps or the depth were used up: one fault says it, and nothing is checked from there on.
    private var isExhausted = false

    init(schema: JSONSchema, field: String) {
        self.schema = schema
        self.field = field
    }

    /// The cost of iterating once over this number of names or values.
    static func steps(over count: Int) -> Int { count / 16 }

    /// Notes where a value breaks a schema.
    mutating func check(_ value: JSONValue, against node: SchemaNode) {
        self.steps += node.steps
        guard self.faults.count < Self.maximumFaults, !self.isExhausted else { return }
        guard self.steps <= Self.maximumSteps, self.depth < Self.maximumDepth else { return self.exhaust() }
        self.depth += 1
        defer { self.depth -= 1 }
        if node.refusesAll { return self.note("nothing", JSONTypeSet(value).found) }
        if let name = node.reference { self.check(value, against: self.schema.target(of: name)) }
        guard self.checkKind(of: value, node) else { return }
        self.checkValue(value, node)
        switch value {
        case .object(let members): self.checkMembers(members, node)
        case .array(let elements): self.checkElements(elements, node)
        case .string(let text):
            self.steps += text.utf8.count / 1024
            self.checkLength(of: text, node)
        case .integer(let number): self.checkBounds(of: Double(number), node)
        case .double(let number): self.checkBounds(of: number, node)
        case .null, .bool: break
        }
        self.checkAlternatives(of: value, node)
    }

    // MARK: Rules

    /// Whether the value is of the right kind, without which nothing else is worth telling.
    private mutating func checkKind(of value: JSONValue, _ node: SchemaNode) -> Bool {
        let found = JSONTypeSet(value)
        let isNull = found == .null && node.kinds?.contains(.null) != false
        if let format = node.format, !isNull {
            switch format {
            case .swiftDate:
                if let fault = SwiftDate.fault(in: value) {
                    self.note(fault.rule, fault.value)
                    return false
                }
            case .dateTime:
                if case .string(let text) = value, RFC3339.date(text) == nil {
                    self.note("a time as in RFC 3339, such as '2026-02-03T04:05:06Z'", "another text")
                }
            case .uuid:
                if case .string(let text) = value, APNsID(canonical: text) == nil {
                    self.note("a UUID in its 36 characters", "another text")
                }
            }
        }
        guard let kinds = node.kinds, kinds.isDisjoint(with: found) else { return true }
        self.note(kinds.phrase, found.found)
        return false
    }

    private mutating func checkValue(_ value: JSONValue, _ node: SchemaNode) {
        if let values = node.values, !values.contains(where: { $0.isSame(as: value) }) {
            let shown = values.prefix(8).map(\.shown).joined(separator: ", ")
            let rest = values.count > 8 ? " or \(values.count - 8) more" : ""
            self.note("one of \(shown)\(rest)", JSONTypeSet(value).found + " with another value")
        }
        if let constant = node.constant, !constant.isSame(as: value) {
            self.note(constant.shown, JSONTypeSet(value).found + " that is something else")
        }
    }

    private mutating func checkMembers(_ members: [String: JSONValue], _ node: SchemaNode) {
        for name in node.required where members[name] == nil {
            self.within(.member(name)) { $0.note("a value: devices cannot decode the content without it", "nothing") }
        }
        guard !node.properties.isEmpty || !node.additional.isEmpty else { return }
        self.steps += Self.steps(over: members.count)
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            guard let own = node.properties[name] ?? node.additional.first else { continue }
            self.within(.member(name)) { check in
                if own.refusesAll, node.properties[name] == nil {
                    check.steps += 1 + Self.steps(over: node.properties.count)
                    guard check.faults.count < Self.maximumFaults else { return }
                    let known = node.properties.keys.sorted().prefix(20).map { "'\($0)'" }.joined(separator: ", ")
                    check.note(known.isEmpty ? "no members" : "one of the members \(known)", "an unknown member")
                } else {
                    check.check(member, against: own)
                }
            }
        }
    }

    private mutating func checkElements(_ elements: [JSONValue], _ node: SchemaNode) {
        if !node.itemCounts.contains(elements.count) {
            self.note("\(node.itemCounts.phrase) elements", "\(elements.count)")
        }
        guard let own = node.items.first else { return }
        for (index, element) in elements.enumerated() {
            self.within(.element(index)) { $0.check(element, against: own) }
        }
    }

    private mutating func checkLength(of text: String, _ node: SchemaNode) {
        guard node.lengths != 0...Int.max else { return }
        let length = text.unicodeScalars.count
        if !node.lengths.contains(length) { self.note("\(node.lengths.phrase) characters", "\(length)") }
    }

    private mutating func checkBounds(of number: Double, _ node: SchemaNode) {
        if let bound = node.minimum, number < bound.value || (bound.isExclusive && number == bound.value) {
            self.note("\(bound.isExclusive ? "more than" : "at least") \(bound.value.shown)", number.shown)
        }
        if let bound = node.maximum, number > bound.value || (bound.isExclusive && number == bound.value) {
            self.note("\(bound.isExclusive ? "less than" : "at most") \(bound.value.shown)", number.shown)
        }
    }

    private mutating func checkAlternatives(of value: JSONValue, _ node: SchemaNode) {
        if !node.anyOf.isEmpty {
            self.choose(value, node.anyOf, "one of the forms of 'anyOf'") { $0 >= 1 }
        }
        if !node.oneOf.isEmpty {
            self.choose(value, node.oneOf, "exactly one of the forms of 'oneOf'") { $0 == 1 }
        }
    }

    private mutating func choose(
        _ value: JSONValue,
        _ nodes: [SchemaNode],
        _ rule: String,
        _ isEnough: (Int) -> Bool
    ) {
        var matches = 0
        var nearest: [InvalidValueError]?
        for node in nodes {
            var trial = self
            trial.faults = []
            trial.check(value, against: node)
            self.steps = trial.steps
            // The result of an incomplete trial is unknown.
            if trial.isExhausted { return self.exhaust() }
            if trial.faults.isEmpty { matches += 1 }
            // The form that is meant is that in which only something within the value is wrong.
            if !trial.faults.isEmpty, !trial.faults.contains(where: { $0.field == self.place }) {
                nearest = nearest == nil ? trial.faults : []
            }
        }
        guard !isEnough(matches) else { return }
        if matches == 0, let nearest, !nearest.isEmpty {
            self.faults += nearest.prefix(Self.maximumFaults - self.faults.count)
        } else {
            self.note(rule, "\(JSONTypeSet(value).found) that has \(matches) of them")
        }
    }

    // MARK: Faults

    private mutating func within(_ component: Component, _ body: (inout SchemaCheck) -> Void) {
        self.path.append(component)
        body(&self)
        self.path.removeLast()
    }

    private mutating func exhaust() {
        guard !self.isExhausted else { return }
        self.isExhausted = true
        self.note(Self.tooComplex.rule, Self.tooComplex.value)
    }

    private mutating func note(_ rule: String, _ value: String) {
        guard self.faults.count < Self.maximumFaults else { return }
        self.faults.append(InvalidValueError(field: self.place, rule: rule, value: value))
    }

    private var place: String {
        self.path.reduce(into: self.field) { place, component in
            switch component {
            case .member(let name): place += (place.isEmpty ? "" : ".") + name.prefix(64)
            case .element(let index): place += "[\(index)]"
            }
        }
    }
}

extension JSONValue {
    /// Whether a value of a schema is the same as another one to JSON Schema, which knows no difference between `1` and
    /// `1.0`.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let whole), .double(let number)), (.double(let number), .integer(let whole)):
            Int64(exactly: number) == whole
        case (.string(let own), .string(let text)):
            // Normalization changes the length by a factor of 3 at most, so that of equal texts differs by 9 at most.
            // The text of the schema is stream-safe.
            text.utf8.count <= 16 * own.utf8.count && text.isStreamSafe && own == text
        case (.array(let own), .array(let others)):
            own.count == others.count && zip(own, others).allSatisfy { $0.isSame(as: $1) }
        case (.object(let own), .object(let others)):
            own.count == others.count
                && own.allSatisfy { name, value in others[name].map { value.isSame(as: $0) } ?? false }
        default: self == other
        }
    }

    /// A schema value as text for messages.
    fileprivate var shown: String {
        switch self {
        case .string(let text): "'\(text.prefix(40))'"
        case .array, .object: JSONTypeSet(self).found
        default: (try? self.json()).map { String(decoding: $0, as: UTF8.self) } ?? JSONTypeSet(self).found
        }
    }
}

extension Double {
    /// A number as text for messages.
    var shown: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension ClosedRange<Int> {
    /// A range as text for messages.
    fileprivate var phrase: String {
        if self.upperBound == .max { return "at least \(self.lowerBound)" }
        return self.lowerBound == 0 ? "at most \(self.upperBound)" : "\(self.lowerBound) to \(self.upperBound)"
    }
}

/// Why a schema was not taken: the faults that were found, each with its place in the schema; at most 20.
public struct SchemaErrors: Error, Hashable, Sendable {
    /// The faults; the field of each is its place, such as `properties.endsAt.format`, and empty for the schema itself.
    public let faults: [InvalidValueError]

    init(_ faults: [InvalidValueError]) {
        self.faults = faults
    }

    init(_ place: String, rule: String, value: String) {
        self.init([InvalidValueError(field: place, rule: rule, value: value)])
    }
}

/// The conversion of the dates of one value, as a schema wants it.
struct SchemaConversion {
    let schema: JSONSchema
    private let field: String

    /// How often something was held against a schema: `$ref` beside `properties` may double that with each level.
    private var steps = 0

    init(schema: JSONSchema, field: String) {
        self.schema = schema
        self.field = field
    }

    /// Converts the dates in a value, `left` levels of values and references deep.
    ///
    /// - Throws: ``InvalidValueError`` when that takes more than ``SchemaCheck/maximumSteps`` steps.
    mutating func converted(
        _ value: JSONValue,
        by node: SchemaNode,
        left: Int = SchemaCheck.maximumDepth
    ) throws(InvalidValueError) -> JSONValue {
        self.steps += 1
        guard self.steps <= SchemaCheck.maximumSteps else {
            throw InvalidValueError(
                field: self.field,
                rule: SchemaCheck.tooComplex.rule,
                value: SchemaCheck.tooComplex.value
            )
        }
        guard left > 0 else { return value }
        var value = value
        if let name = node.reference {
            value = try self.converted(value, by: self.schema.target(of: name), left: left - 1)
        }
        if node.isConverted { value = SwiftDate.converted(value) }
        switch value {
        case .object(var members):
            guard !node.properties.isEmpty || !node.additional.isEmpty else { return value }
            self.steps += SchemaCheck.steps(over: members.count)
            for (name, member) in members {
                guard let own = node.properties[name] ?? node.additional.first else { continue }
                members[name] = try self.converted(member, by: own, left: left - 1)
            }
            return .object(members)
        case .array(var elements):
            guard let own = node.items.first else { return value }
            for (index, element) in elements.enumerated() {
                elements[index] = try self.converted(element, by: own, left: left - 1)
            }
            return .array(elements)
        default:
            return value
        }
    }
}
