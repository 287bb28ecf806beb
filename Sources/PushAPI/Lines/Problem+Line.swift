// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension Problem {
    /// How many faults a line of an answer lists: there may be as many such lines as lines were sent.
    private static let maximumLineFaults = 4

    /// The problem as it stands in a line of an answer: its code, its detail, and the first fault; where there are several,
    /// the first few in `errors`.
    var lineJSON: [UInt8] {
        var members: [String: JSONValue] = [
            "code": .string(self.code.rawValue), "detail": .string(String(self.detail.prefix(500))),
        ]
        if let fault = self.faults.first {
            members["field"] = .string(fault.field)
            members["rule"] = .string(fault.rule)
            members["value"] = .string(fault.value)
        }
        if self.faults.count > 1 {
            members["errors"] = .array(
                self.faults.prefix(Self.maximumLineFaults).map { fault in
                    [
                        "field": .string(String(fault.field.prefix(200))), "rule": .string(fault.rule),
                        "value": .string(fault.value),
                    ]
                }
            )
        }
        return (try? JSONValue.object(members).json()) ?? Array("{}".utf8)
    }

    /// A line is longer than it may be.
    static func lineTooLong(limit: Int) -> Problem {
        Problem(.lineTooLong, at: .root, expected: "at most \(limit) bytes in a line", got: "more")
    }
}
