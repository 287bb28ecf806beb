// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

extension Date {
    /// Seconds since 1970, rounded down; for a date that is not in the years 1...9999, those of the nearest that is.
    var wholeSeconds: Int64 {
        let seconds = self.timeIntervalSince1970.rounded(.down)
        return Int64(min(max(seconds, -62_135_596_800), 253_402_300_799))
    }

    /// The date that lies whole seconds after 1970.
    init(wholeSeconds: Int64) {
        self.init(timeIntervalSince1970: Double(wholeSeconds))
    }
}
