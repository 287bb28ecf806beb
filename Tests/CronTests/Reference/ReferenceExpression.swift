// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import Foundation

/// A random expression, and whether it matches what a clock shows, told field by field.
struct ReferenceExpression {
    let text: String
    let admits: (ReferenceClock.Reading) -> Bool

    /// Random times of day, on random days of each month, or on every day if seconds are among them.
    static func times(hasSecond: Bool, using random: inout some RandomNumberGenerator) -> ReferenceExpression {
        let minute = ReferenceField.values(0...59, \.minute, using: &random)
        let hour = ReferenceField.values(0...23, \.hour, using: &random)
        guard hasSecond else {
            let monthDays = ReferenceField.monthDays(using: &random)
            return self.init([minute, hour], monthDays, .any, .weekDays(using: &random))
        }
        return self.init([.values(0...59, \.second, using: &random), minute, hour], .any, .any, .any)
    }

    /// Random days, at noon.
    static func days(using random: inout some RandomNumberGenerator) -> ReferenceExpression {
        let noon = ["0", "12"].map { ReferenceField(text: $0) { _ in true } }
        let monthDays = ReferenceField.monthDays(using: &random)
        let month = ReferenceField.values(1...12, \.month, using: &random)
        return self.init(noon, monthDays, month, .weekDays(using: &random))
    }

    private init(
        _ times: [ReferenceField],
        _ monthDays: ReferenceField,
        _ month: ReferenceField,
        _ weekDays: ReferenceField
    ) {
        self.text = (times + [monthDays, month, weekDays]).map(\.text).joined(separator: " ")
        let isBoth = monthDays.isOpen || weekDays.isOpen
        self.admits = { reading in
            guard times.allSatisfy({ $0.admits(reading) }), month.admits(reading) else { return false }
            let admitted = [monthDays.admits(reading), weekDays.admits(reading)]
            return isBoth ? admitted[0] && admitted[1] : admitted[0] || admitted[1]
        }
    }

    /// The occurrences among the moments of a clock.
    func occurrences(by clock: ReferenceClock, policy: DSTPolicy) -> [Date] {
        clock.moments.filter { moment in
            if self.admits(moment.reading), policy.repeatedTime == .runTwice || !moment.isRepeated { return true }
            return policy.skippedTime == .runAfter && moment.skipped.contains(where: self.admits)
        }
        .map(\.instant)
    }
}
