// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A port of this machine that is taken, so that nobody else is given it, and at which nobody listens.
///
/// Whoever asks for it by its number gets it all the same.
public final class ReservedPort: Sendable {
    /// Its number, 1 to 65535.
    public let number: Int
    private let descriptor: Int32

    /// Takes a port that is free.
    ///
    /// - Throws: `CocoaError` when there is none.
    public init() throws {
        #if canImport(Darwin)
        self.descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var isReusable: Int32 = 1
        setsockopt(self.descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = self.descriptor
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return false }
            return bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
        }
        guard isBound else {
            close(self.descriptor)
            throw CocoaError(.fileReadUnknown)
        }
        self.number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(self.descriptor)
    }
}
