// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Logging
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs until standard input ends: the sign that the process which started this one is gone, or wants it to stop.
struct InputWatch: Service {
    let logger: Logger

    func run() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 512)
            if read(STDIN_FILENO, &buffer, buffer.count) <= 0 { continuation.finish() }
        }
        source.activate()
        defer { source.cancel() }
        for await _ in ends.cancelOnGracefulShutdown() {}
        self.logger.debug("standard input ended")
    }
}
