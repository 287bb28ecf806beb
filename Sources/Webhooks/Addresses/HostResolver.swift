// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOPosix
package import PushModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds the addresses of hosts.
package protocol HostResolver: Sendable {
    /// The addresses of a host, which is a name or an address; the preferred one first.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; other errors count as a failure of the connection.
    func addresses(of host: String) async throws -> [NetworkAddress]
}

/// Asks the operating system, as every other program of the machine does.
package struct SystemResolver: HostResolver {
    /// The limits of lookups: a lookup blocks its thread until the timeout of the system, up to half a minute.
    private static let limits = HostLookupPool.Limits(threads: 48, unproven: 32, failing: 16)

    /// The lookups that all resolvers of the process share.
    private static let lookUps: HostLookupPool = {
        let pool = NIOThreadPool(numberOfThreads: Self.limits.threads)
        pool.start()
        return HostLookupPool(pool: pool, limits: Self.limits) { Self.lookUp($0) }
    }()

    package init() {}

    /// Returns the addresses of a host; a cancelled caller continues immediately, although the system's lookup cannot
    /// be cancelled.
    ///
    /// Concurrent callers for the same host receive the same result.
    package func addresses(of host: String) async throws -> [NetworkAddress] {
        try await Self.lookUps.addresses(of: host)
    }

    private static func lookUp(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_flags = AI_ADDRCONFIG
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = Int32(SOCK_STREAM)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [NetworkAddress] = []
        var next = first
        while let info = next {
            next = info.pointee.ai_next
            guard let address = info.pointee.ai_addr else { continue }
            var text = [CChar](repeating: 0, count: 256)
            let length = socklen_t(text.count)
            let flags = NI_NUMERICHOST
            guard getnameinfo(address, info.pointee.ai_addrlen, &text, length, nil, 0, flags) == 0 else { continue }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if let found = NetworkAddress(String(decoding: bytes, as: UTF8.self)) { addresses.append(found) }
        }
        return addresses
    }
}
