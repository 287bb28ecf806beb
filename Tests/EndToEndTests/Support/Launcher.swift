// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Programs that run a command under other circumstances; they stand before it.
enum Launcher {
    /// Standard error goes where standard output goes, so that a test can wait for a line of the log.
    static let mergingOutput = shell("exec \"$@\" 2>&1")

    /// Files may grow to so many blocks of 512 bytes (1024 in some shells), as if there were no more room on the disk.
    ///
    /// - Parameters:
    ///   - blocks: how many.
    ///   - isFinal: whether there never will be more room; otherwise someone may allow the process more.
    static func limitingFiles(blocks: Int, isFinal: Bool = true) -> [String] {
        // The signal that comes with the limit would end the process; without it the write fails.
        shell("trap '' XFSZ; ulimit \(isFinal ? "" : "-S ")-f \(blocks); exec \"$@\"")
    }

    /// The process may have so many files and sockets open, and never more.
    static func limitingOpenFiles(_ count: Int) -> [String] { shell("ulimit -n \(count); exec \"$@\"") }

    /// File permissions count, also for a superuser, whom they do not concern otherwise.
    static var heedingPermissions: [String] {
        guard getuid() == 0 else { return [] }
        let capabilities = "-dac_override,-dac_read_search"
        return ["/usr/bin/env", "setpriv", "--bounding-set=\(capabilities)", "--inh-caps=\(capabilities)"]
    }

    /// The command has a terminal of its own; what it writes there comes out, and its exit status is the launcher's.
    static let onTerminal = [
        "/usr/bin/env", "python3", "-c",
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
    ]

    private static func shell(_ script: String) -> [String] { ["/bin/sh", "-c", script, "sh"] }
}
