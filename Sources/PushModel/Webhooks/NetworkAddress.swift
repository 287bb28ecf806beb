// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An IP address of either version.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// Its 4 or 16 bytes, the most significant first.
    package let bytes: [UInt8]

    /// Its text form, such as `192.0.2.1` or `2001:db8::1`.
    package let text: String

    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
        self.text = text
    }

    /// Reads a host that is an address, including the forms of IPv4 that resolvers take for an address, such as
    /// `2130706433` and `0x7f.1` for 127.0.0.1; `nil` for a host name.
    package init?(host: String) {
        var address = in_addr()
        if NetworkAddress(host) == nil, inet_aton(host, &address) != 0 {
            let bytes = withUnsafeBytes(of: address.s_addr) { Array($0) }
            self.init(bytes.map { String($0) }.joined(separator: "."))
        } else {
            self.init(host)
        }
    }

    /// Whether the address belongs to the public internet: no private, loopback, link-local, shared, documentation,
    /// multicast or reserved one, nor one that carries such an IPv4 address.
    ///
    /// The lists are IANA's special-purpose registries (RFC 6890), and the address of Azure's metadata and DNS service,
    /// which is in a public range. Those of other clouds (169.254.169.254, 100.100.100.200, 192.0.0.192,
    /// fd00:ec2::254) are in the registries.
    package var isPublic: Bool {
        self.bytes.count == 4 ? Self.isPublic(ipv4: self.bytes) : Self.isPublic(ipv6: self.bytes)
    }

    /// Whether only this machine reaches the address.
    package var isLoopback: Bool {
        if self.bytes.count == 4 { return self.bytes.first == 127 }
        if self.bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) { return self.bytes[12] == 127 }
        return self.bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether a host is this machine by its address, or by a name that always has a loopback address (RFC 6761).
    package static func isLoopback(host: String) -> Bool {
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost") || NetworkAddress(host: host)?.isLoopback == true
    }

    package var description: String { self.text }

    private static let privateIPv4: [(network: [UInt8], bits: Int)] = [
        ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8),
        ([168, 63, 129, 16], 32), ([169, 254, 0, 0], 16), ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24),
        ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
    ]

    private static func isPublic(ipv4 bytes: [UInt8]) -> Bool {
        !self.privateIPv4.contains { Self.share(bytes, $0.network, bits: $0.bits) }
    }

    private static func isPublic(ipv6 bytes: [UInt8]) -> Bool {
        // ::ffff:0:0/96 carries an IPv4 address, and so do 64:ff9b::/96 and 2002::/16.
        if bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) {
            return self.isPublic(ipv4: Array(bytes[12...]))
        }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8)) {
            return self.isPublic(ipv4: Array(bytes[12...]))
        }
        if bytes.starts(with: [0x20, 0x02]) { return self.isPublic(ipv4: Array(bytes[2..<6])) }
        // Of the rest, only global unicast is public, without the ranges of IETF protocols (2001::/23) and
        // documentation.
        return self.share(bytes, [0x20], bits: 3) && !self.share(bytes, [0x20, 0x01, 0x00], bits: 23)
            && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) && !self.share(bytes, [0x3F, 0xFF, 0x00], bits: 20)
    }

    /// Whether two addresses have the same first bits, which both of them have.
    static func share(_ bytes: [UInt8], _ network: [UInt8], bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80) >> (bit % 8)
            return bytes[bit / 8] & mask == network[bit / 8] & mask
        }
    }
}
