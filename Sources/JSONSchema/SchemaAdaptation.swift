// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The conversion of the dates of one value, as a schema wants it.
struct SchemaAdaptation {
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
    /// - Throws: ``ValidationFailure`` when that takes more than ``SchemaCheck/maximumSteps`` steps.
    mutating func adapted(
        _ value: JSONValue,
        by node: SchemaNode,
        left: Int = SchemaCheck.maximumDepth
    ) throws(ValidationFailure) -> JSONValue {
        self.steps += 1
        guard self.steps <= SchemaCheck.maximumSteps else {
            throw ValidationFailure(
                field: self.field,
                rule: SchemaCheck.tooComplex.rule,
                value: SchemaCheck.tooComplex.value
            )
        }
        guard left > 0 else { return value }
        var value = value
        if let name = node.reference {
            value = try self.adapted(value, by: self.schema.target(of: name), left: left - 1)
        }
        if node.isAdapted { value = SwiftDate.adapted(value) }
        switch value {
        case .object(var members):
            guard !node.properties.isEmpty || !node.additional.isEmpty else { return value }
            self.steps += SchemaCheck.steps(over: members.count)
            for (name, member) in members {
                guard let own = node.properties[name] ?? node.additional.first else { continue }
                members[name] = try self.adapted(member, by: own, left: left - 1)
            }
            return .object(members)
        case .array(var elements):
            guard let own = node.items.first else { return value }
            for (index, element) in elements.enumerated() {
                elements[index] = try self.adapted(element, by: own, left: left - 1)
            }
            return .array(elements)
        default:
            return value
        }
    }
}
