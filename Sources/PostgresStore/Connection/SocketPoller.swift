// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Blocks a thread until a socket is ready.
enum SocketPoller {
    static let readable = Int32(POLLIN)
    static let writable = Int32(POLLOUT)

    /// Waits until one of the sockets is ready for one of its events of `poll`.
    ///
    /// - Returns: whether one is ready; `false` when the deadline passed.
    /// - Throws: ``PostgresError`` when the sockets cannot be waited for.
    static func wait(for sockets: [(Int32, Int32)], until deadline: ContinuousClock.Instant) throws -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            var entries = sockets.map { pollfd(fd: $0.0, events: Int16($0.1), revents: 0) }
            // Cannot trap: the number is between 1 and 60,000.
            let milliseconds = Int32(min(left / .milliseconds(1) + 1, 60_000))
            let count = poll(&entries, nfds_t(entries.count), milliseconds)
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else {
                throw PostgresError(kind: .connection, message: "poll failed (errno \(errno))")
            }
        }
    }

    static func isReadable(_ socket: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    static func pause(milliseconds: Int) {
        _ = poll(nil, 0, Int32(clamping: milliseconds))
    }
}

/// Wakes a thread that waits for a socket.
final class SelfPipe: Sendable {
    /// The descriptor that the thread waits for, in addition to its socket.
    let reading: Int32
    private let writing: Int32

    /// - Throws: `StoreError` `.unavailable` when the process has too many files open.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            let message = "Failed to create a pipe (errno \(errno)). Raise the limit of open files."
            throw StoreError(code: .unavailable, message: message)
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

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(self.reading, &bytes, bytes.count) > 0 {}
    }
}
