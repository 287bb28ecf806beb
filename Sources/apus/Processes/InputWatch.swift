// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import ServiceLifecycle

/// Runs until standard input ends: the sign that the process which started this one is gone, or wants it to stop.
///
/// A thread waits in `read`, which nothing but input or the end of the process wakes; so there is one watch per process.
struct InputWatch: Service {
    let logger: Logger

    func run() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            continuation.finish()
        }
        for await _ in ends.cancelOnGracefulShutdown() {}
        self.logger.debug("standard input ended")
    }
}
