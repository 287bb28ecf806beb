// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

extension ChildProcess {
    /// Waits until a line with all of these texts comes out of the process.
    ///
    /// Its log has to go where its standard output goes; see ``Launcher/mergingOutput``.
    /// - Returns: whether one came before its end.
    func logs(_ texts: String...) async -> Bool {
        while let line = await self.nextLine() { if texts.allSatisfy({ line.contains($0) }) { return true } }
        return false
    }

    /// The most memory that the process has had so far, in bytes; `nil` where the system does not say.
    var peakMemory: Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(self.processID)/status", encoding: .utf8) else {
            return nil
        }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
    }
}
