// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension WorkerID {
    /// The ID of this process: `HOST/PID/` and 16 random hexadecimal digits.
    ///
    /// So a process that is restarted is another worker.
    ///
    /// The process holds a lock under this ID. Its leases are those of all workers whose IDs begin with it.
    public static let process: WorkerID = {
        var name = [CChar](repeating: 0, count: 65)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let id = "\(getpid())/\(Self.randomDigits())"
        return WorkerID(rawValue: isKnown ? "\(host)/\(id)" : id) ?? WorkerID(unchecked: id)
    }()

    /// A new worker of this process: the ID of the process, `/` and 16 random hexadecimal digits.
    public static func unique() -> WorkerID {
        WorkerID(unchecked: "\(Self.process)/\(Self.randomDigits())")
    }

    private static func randomDigits() -> String {
        withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Hex.text($0) }
    }
}
