// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Asks the operating system, as every other program of the machine does.
public struct SystemResolver: HostResolver {
    /// A resolver without a cache of its own.
    public init() {}

    /// The addresses of a host; the caller goes on at once when it is cancelled, though the system cannot be.
    public func addresses(of host: String) async throws -> [NetworkAddress] {
        let answer = Answer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard answer.wait(continuation) else { return }
                NIOThreadPool.singleton.submit { state in
                    let addresses = state == .active ? Self.lookUp(host) : []
                    answer.give(.success(addresses))
                }
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
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
        for info in sequence(
            state: first,
            next: { info in
                defer { info = info?.pointee.ai_next }; return info
            }
        ) {
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

    /// Who waits for an answer, which may come twice: from the system and from a cancellation.
    private final class Answer: Sendable {
        private enum State {
            case open
            case waiting(CheckedContinuation<[NetworkAddress], any Error>)
            case given
        }

        private let state = Mutex(State.open)

        /// Begins to wait.
        ///
        /// - Returns: whether the answer is still to be found.
        func wait(_ continuation: CheckedContinuation<[NetworkAddress], any Error>) -> Bool {
            let isOpen = self.state.withLock { state in
                guard case .open = state else { return false }
                state = .waiting(continuation)
                return true
            }
            if !isOpen { continuation.resume(throwing: CancellationError()) }
            return isOpen
        }

        /// The first answer counts.
        func give(_ result: Result<[NetworkAddress], any Error>) {
            let waiting = self.state.withLock { state in
                defer { state = .given }
                return state
            }
            if case .waiting(let continuation) = waiting { continuation.resume(with: result) }
        }
    }
}
