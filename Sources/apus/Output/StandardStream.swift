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

/// A stream that a process is started with, written to as it comes: what was written is out, also into a pipe.
///
/// Whoever reads it may go at any time, as `head` does; that is no failure of the command.
struct StandardStream: Sendable {
    /// Why nothing more can be written.
    enum Failure: Error {
        /// Nobody reads any more.
        case readerGone

        /// The system's number for what else is wrong: a full disk, a closed stream.
        case system(Int32)
    }

    /// Where results go.
    static let output = StandardStream(descriptor: STDOUT_FILENO)

    /// Where everything else goes.
    static let errors = StandardStream(descriptor: STDERR_FILENO)

    /// The system's number for the stream.
    let descriptor: Int32

    /// Whether it is the one for results.
    var isResult: Bool { self.descriptor == STDOUT_FILENO }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(self.descriptor) == 1 }

    /// Writes all of some bytes.
    func write(_ bytes: some ContiguousBytes) throws(Failure) {
        let code = bytes.withUnsafeBytes { self.write(all: $0) }
        if code == EPIPE { throw .readerGone }
        if code != 0 { throw .system(code) }
    }

    /// Writes all of a text.
    func write(_ text: String) throws(Failure) { try self.write(Array(text.utf8)) }

    /// Lets a write into a pipe without a reader fail, in place of ending the process at whatever it is about.
    static func ignoreLostReaders() { signal(SIGPIPE, SIG_IGN) }

    /// Ends the process as a write into a pipe without a reader ends others: quietly, by SIGPIPE.
    static func endForLostReader() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        // Only where the signal is blocked: the status by which a shell tells of it.
        exit(128 + SIGPIPE)
    }

    /// - Returns: 0, or the system's number for what is wrong.
    private func write(all bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = self.write(some: UnsafeRawBufferPointer(rebasing: rest))
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Somebody who shares the stream has made it so; there is room as soon as its reader reads.
                var wish = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wish, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private func write(some bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(self.descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(self.descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
        Darwin.write(self.descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
