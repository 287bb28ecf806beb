// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The name and the value of an attribute.
package struct SNSAttribute: Hashable, Sendable {
    /// The name, as SNS writes it.
    package let name: String
    /// The value; empty to take the attribute away.
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Where an attribute is given, which its errors name.
package enum AttributeLocation: Hashable, Sendable {
    /// In the map `Attributes` of a call that makes something.
    case map
    /// As `AttributeName` and `AttributeValue`.
    case single

    func error(_ text: String) -> SNSError {
        switch self {
        case .map: .invalidParameter("Attributes", reason: text)
        case .single: .invalidParameter(text)
        }
    }

    /// The error for a name that no such attribute has, or that cannot be set.
    func unknown(_ name: String) -> SNSError {
        switch self {
        case .map: .invalidParameter("Attributes", reason: "Invalid attribute name: \(name.cut)")
        case .single: .invalidParameter("AttributeName")
        }
    }
}
