// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A range of IP addresses in CIDR notation, such as `192.0.2.0/24` or `2001:db8::/32`.
///
/// An IPv4 address within IPv6 (`::ffff:192.0.2.1`) is the IPv4 address, in ranges and in the addresses that are
/// compared with them.
public struct AddressRange: Hashable, Sendable {
    public static let field = "allowedAddresses"
    public static let rule =
        "an IP address, or a range such as '192.0.2.0/24' or '2001:db8::/32' without bits after its prefix"

    /// The most ranges of one API key.
    public static let maximumPerKey = 64

    private let address: NetworkAddress

    /// The number of bits that all addresses of the range share.
    private let bits: Int

    /// Reads a range; a single address is the range of that address.
    public init(validating text: String) throws(InvalidValueError) {
        guard let range = Self(text) else {
            throw InvalidValueError(field: Self.field, rule: Self.rule, value: "'\(text.unicodeScalars.prefix(64))'")
        }
        self = range
    }

    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let written = NetworkAddress(String(first)) else { return nil }
        let address = written.unmapped
        var bits = address.bytes.count * 8
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(parts[1]), number <= written.bytes.count * 8
            else { return nil }
            // The prefix of a mapped IPv4 address includes the 96 bits before it.
            bits = number - (written.bytes.count - address.bytes.count) * 8
        }
        guard bits >= 0, address.hasOnlyZeros(after: bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    /// Whether an address is in the range.
    package func contains(_ other: NetworkAddress) -> Bool {
        let other = other.unmapped
        return other.bytes.count == self.address.bytes.count
            && NetworkAddress.share(other.bytes, self.address.bytes, bits: self.bits)
    }
}

extension AddressRange: CustomStringConvertible {
    public var description: String { "\(self.address)/\(self.bits)" }
}

extension NetworkAddress {
    /// The IPv4 address that an IPv6 address maps (RFC 4291, section 2.5.5.2); otherwise the address itself.
    package var unmapped: NetworkAddress {
        guard self.bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]), self.bytes.count == 16 else {
            return self
        }
        return NetworkAddress(self.bytes[12...].map { String($0) }.joined(separator: ".")) ?? self
    }

    fileprivate func hasOnlyZeros(after bits: Int) -> Bool {
        (bits..<self.bytes.count * 8).allSatisfy { self.bytes[$0 / 8] & (UInt8(0x80) >> ($0 % 8)) == 0 }
    }
}
