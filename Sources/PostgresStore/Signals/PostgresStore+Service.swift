// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import ServiceLifecycle

extension PostgresStore: Service {
    /// Exchanges word of changes with other processes until the task is cancelled, the service group shuts down or the
    /// store is closed.
    ///
    /// Whenever it has begun to listen, after a lost connection too, subscribers are told `StoreChange.missed`. The
    /// store's calls work without it; then only changes made through this object are signalled.
    public func run() async throws {
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await self.feed.run()
            } onGracefulShutdown: {
                self.feed.stop()
            }
        } onCancel: {
            self.feed.stop()
        }
    }
}
