// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Word of changes, so that nobody has to poll for what happens in the same process.
public protocol StoreSignals: Sendable {
    /// The changes from now on, in their order.
    ///
    /// Within a process a change is signalled as soon as it is durable; changes by other processes may come later or
    /// never, so a slow poll beside it is needed. A subscriber that does not keep up loses the oldest changes and is
    /// told by ``StoreChange/missed``. Ending the iteration, or dropping the stream, ends the subscription.
    func changes() -> AsyncStream<StoreChange>
}
