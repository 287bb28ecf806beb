// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Times in documents: `2012-05-02T00:54:06.655Z`.
enum DocumentTime {
    /// The text of a time in milliseconds since 1970, from the year 1970 to 9999.
    static func text(milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = Array(AmzDate(seconds: seconds).description)
        let date = "\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
        let time = "\(String(digits[9..<11])):\(String(digits[11..<13])):\(String(digits[13..<15]))"
        return "\(date)T\(time).\(String(String(rest + 1000).dropFirst()))Z"
    }
}
