// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Wakes a thread that waits for a socket.
final class WakePipe: Sendable {
    /// What the thread waits for beside its socket.
    let reading: Int32
    private let writing: Int32

    /// Makes a pipe.
    ///
    /// - Throws: ``PostgresFailure`` when the process has too many files open.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PostgresFailure(kind: .connection, message: "a pipe cannot be made (errno \(errno))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (self.reading, self.writing) = (ends[0], ends[1])
    }

    deinit {
        _ = close(self.reading)
        _ = close(self.writing)
    }

    /// Wakes the thread, now or when it waits next.
    func wake() {
        var byte: UInt8 = 1
        // A pipe that is full wakes it as well.
        _ = write(self.writing, &byte, 1)
    }

    /// Forgets that the thread was woken.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(self.reading, &bytes, bytes.count) > 0 {}
    }
}
