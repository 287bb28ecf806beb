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

/// Reads files that are regular and not too large, so that a path to a device, a FIFO or a log neither blocks a process
/// nor fills its memory.
package enum RegularFile {
    /// Returns the content of a file; `nil` if it cannot be read, is larger than `maximumBytes`, or is not regular.
    ///
    /// `followsLinks` applies to the last component of the path.
    package static func content(of path: String, maximumBytes: Int, followsLinks: Bool = true) -> [UInt8]? {
        // Without O_NONBLOCK, opening a FIFO waits for a writer.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        // Read one byte more than is allowed, because the file may grow meanwhile.
        guard let content = try? file.read(upToCount: maximumBytes + 1) ?? Data() else { return nil }
        return content.count <= maximumBytes ? Array(content) : nil
    }
}
