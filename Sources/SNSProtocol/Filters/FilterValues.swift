// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What a filter policy is held against: the values that a message has under names.
struct FilterValues: Hashable, Sendable {
    /// What stands under one name.
    struct Field: Hashable, Sendable {
        /// Whether there is anything.
        var exists: Bool
        /// The single values: a list counts as its elements.
        var values: [JSONValue]

        /// Nothing.
        static let absent = Field(exists: false, values: [])
    }

    private var fields: [String: Field] = [:]
    private var objects: [String: [FilterValues]] = [:]

    /// No values at all.
    static let none = FilterValues()

    private init() {}

    /// The values of message attributes.
    init(_ attributes: [String: MessageAttribute]) {
        self.fields = attributes.mapValues(\.filterField)
    }

    /// The values of a JSON object, with what its names with dots stand for: `a.b` is `b` below `a`.
    init(_ object: [String: JSONValue]) {
        for (name, value) in FilterPath.expanded(object) { self.add(value, to: name) }
    }

    /// What stands under a name.
    func field(_ name: String) -> Field { self.fields[name] ?? .absent }

    /// The objects under a name; where there is none, one without values, in which everything is absent.
    func objects(_ name: String) -> [FilterValues] { self.objects[name] ?? [.none] }

    private mutating func add(_ value: JSONValue, to name: String) {
        switch value {
        case .object(let members): self.objects[name, default: []].append(FilterValues(members))
        case .array(let elements): for element in elements { self.add(element, to: name) }
        default: self.fields[name, default: Field(exists: true, values: [])].values.append(value)
        }
    }
}
