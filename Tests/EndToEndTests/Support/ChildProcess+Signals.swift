// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import CommandLineSupport
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension ChildProcess {
    /// Waits for the end of the process, and kills it when the test is cancelled.
    ///
    /// - Returns: its exit status, or the number of the signal that ended it.
    @discardableResult
    func end() async -> Int32 {
        await withTaskCancellationHandler {
            await self.exitStatus()
        } onCancel: {
            self.kill()
        }
    }

    /// Asks the process to stop, as Ctrl-C on its terminal does.
    func interrupt() {
        _ = Self.send(SIGINT, to: self.processID)
    }

    /// Makes the process stand still, as a suspended machine does, until ``goOn()``.
    func standStill() {
        _ = Self.send(SIGSTOP, to: self.processID)
    }

    /// Lets a process go on that stands still.
    func goOn() {
        _ = Self.send(SIGCONT, to: self.processID)
    }

    /// Whether there is a process of that number.
    static func isRunning(_ process: Int32) -> Bool { self.send(0, to: process) }

    private static func send(_ signal: Int32, to process: Int32) -> Bool {
        #if canImport(Glibc)
        Glibc.kill(process, signal) == 0
        #elseif canImport(Musl)
        Musl.kill(process, signal) == 0
        #elseif canImport(Darwin)
        Darwin.kill(process, signal) == 0
        #endif
    }
}
