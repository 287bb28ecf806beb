// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// What stands in the path of a request.
extension BasicRequestContext {
    /// The text that a parameter of the path stands for.
    func parameter(_ name: String) throws -> String {
        let text = try self.parameters.require(name)
        guard let decoded = PercentEncoding.decode(text) else {
            let rule = "percent-encoded UTF-8 (RFC 3986)"
            throw ControlProblem(.invalidValue, field: name, rule: rule, value: String(text.prefix(40)))
        }
        return decoded
    }

    /// A parameter of the path that is an app's bundle identifier, or a topic.
    func topic(_ name: String = "bundleID") throws -> String {
        let text = try self.parameter(name)
        try ControlAPI.check(text, field: name)
        return text
    }

    /// A parameter of the path that is one of Apple's identifiers.
    func identifier(_ name: String) throws -> String {
        let text = try self.parameter(name)
        guard ControlAPI.isIdentifier(text) else {
            throw ControlProblem(.invalidValue, field: name, rule: "10 characters", value: "\(text.utf8.count) bytes")
        }
        return text
    }
}
