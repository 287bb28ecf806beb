// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension FileHandle {
    /// Waits for bytes and returns those that there are; `nil` at the end, and where the system refuses to read.
    ///
    /// Foundation's `availableData` ends the program where it refuses, as for a directory or a closed stream.
    package func nextBytes() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let descriptor = self.fileDescriptor
            let count = buffer.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count > 0 { return Data(buffer.prefix(count)) }
            guard count < 0 else { return nil }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Somebody who shares the stream has made it so; there are bytes as soon as its writer writes.
                var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wish, 1, -1)
            default: return nil
            }
        }
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Darwin)
        Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
