// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Blocks a thread until a socket is ready.
enum SocketWait {
    /// The event that there is something to read.
    static let readable = Int32(POLLIN)

    /// The event that there is room to write.
    static let writable = Int32(POLLOUT)

    /// Waits until one of the sockets is ready.
    ///
    /// - Parameters:
    ///   - sockets: the sockets, each with the events of `poll` that it is to be ready for.
    ///   - deadline: when to give up.
    /// - Returns: whether one is ready; `false` when the deadline passed.
    /// - Throws: ``PostgresFailure`` when the sockets cannot be waited for.
    static func wait(for sockets: [(Int32, Int32)], until deadline: ContinuousClock.Instant) throws -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            var entries = sockets.map { pollfd(fd: $0.0, events: Int16($0.1), revents: 0) }
            let milliseconds = Int32(min(left / .milliseconds(1) + 1, 60_000))
            let count = poll(&entries, nfds_t(entries.count), milliseconds)
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else {
                throw PostgresFailure(kind: .connection, message: "poll failed (errno \(errno))")
            }
        }
    }

    /// Blocks a thread for a while.
    static func pause(milliseconds: Int) {
        _ = poll(nil, 0, Int32(milliseconds))
    }
}
