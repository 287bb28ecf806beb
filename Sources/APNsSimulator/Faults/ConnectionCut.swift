// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where a connection breaks: after so many bytes of one direction.
public struct ConnectionCut: Sendable, Hashable {
    /// Whose bytes are counted.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// The client's.
        case input
        /// The server's.
        case output
    }

    /// On which side of TLS they are counted.
    public enum Layer: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2 in the clear: the handshake does not count.
        case http2
        /// The bytes of the socket, with the handshake.
        case socket
    }

    /// Whose bytes are counted.
    public var direction: Direction
    /// On which side of TLS they are counted.
    public var layer: Layer
    /// How many bytes still pass.
    public var bytes: Int
    /// Whether the socket is reset and not closed.
    public var resets: Bool

    /// A break after `bytes`.
    public init(after bytes: Int, of direction: Direction, layer: Layer = .http2, resets: Bool = false) {
        self.direction = direction
        self.layer = layer
        self.bytes = bytes
        self.resets = resets
    }
}
