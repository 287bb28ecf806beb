// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension WorkerID {
    /// Makes an ID for a process that starts, so that a restarted process is another worker.
    ///
    /// It is `HOST/PID/DIGITS`, with 16 random hexadecimal digits.
    package static func unique() -> WorkerID {
        var name = [CChar](repeating: 0, count: 65)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        let padding = String(repeating: "0", count: 16 - digits.count)
        let id = "\(getpid())/\(padding)\(digits)"
        return WorkerID(rawValue: isKnown ? "\(host)/\(id)" : id) ?? WorkerID(unchecked: id)
    }
}
