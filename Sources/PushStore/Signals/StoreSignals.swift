// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Word of changes, so that nobody has to poll for what happens in the same process.
public protocol StoreSignals: Sendable {
    /// The changes from now on that are of concern, in their order.
    ///
    /// Within a process a change is signalled as soon as it is durable; changes by other processes may come later or
    /// never, so a slow poll beside it is needed. A subscriber that does not keep up loses the oldest changes and is
    /// told by ``StoreChange/missed``. Ending the iteration, or dropping the stream, ends the subscription.
    ///
    /// - Parameter concern: whether a change is told; ``StoreChange/missed`` always is. Asked by whoever makes the change,
    ///   so that nobody is woken for what is of no concern.
    /// - Returns: the changes, from the call on.
    func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange>
}

extension StoreSignals {
    /// All changes from now on; see ``changes(_:)``.
    public func changes() -> AsyncStream<StoreChange> { self.changes { _ in true } }
}
