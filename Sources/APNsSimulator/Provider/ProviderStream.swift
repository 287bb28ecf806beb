// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a connection keeps of one open stream; used again for the next stream of the slot.
final class ProviderStream {
    let request = RequestHead()
    /// Which use of the slot this is: an answer that was held back is not given to a later stream.
    private(set) var generation: UInt64 = 0
    /// Whether the request went through the rules; what still comes of its body is ignored.
    var isHandled = false
    /// The answer, while a fault holds it back.
    var held: HeldAnswer?

    /// Makes room for the next stream of the slot.
    func begin() {
        self.generation += 1
        self.isHandled = false
        self.held = nil
        self.request.reset()
    }
}
