// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import NIOCore

/// A file that is sent piece by piece, as the server takes it.
struct Upload: Sendable {
    let handle: FileHandle
    let mediaType: String

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file`.
    init(_ path: String, mediaType: String) throws {
        self.mediaType = mediaType
        guard path != "-" else {
            self.handle = .standardInput
            return
        }
        do {
            self.handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(
                "unreadable_file",
                "\(path) cannot be read: \(error.localizedDescription)",
                cause: error
            )
        }
    }

    /// What the file holds; a piece is read when it is asked for.
    var parts: AsyncThrowingStream<ByteBuffer, any Error> {
        let handle = self.handle
        return AsyncThrowingStream {
            guard let data = try handle.read(upToCount: 64 << 10), !data.isEmpty else { return nil }
            return ByteBuffer(bytes: data)
        }
    }
}
