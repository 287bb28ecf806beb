// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// An address of the Internet Protocol, of version 4 (4 bytes) or 6 (16 bytes).
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// Reads `10.0.0.1` or `2001:db8::1`; `nil` for anything else.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45 else { return nil }
        guard let bytes = text.contains(":") ? Self.version6(text) : Self.version4(text) else { return nil }
        self.bytes = bytes
    }

    private static func version4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in
            part.utf8.count <= 3 && part.utf8.allSatisfy(ResourceName.isDigit) ? UInt8(part) : nil
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func version6(_ text: String) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            return self.groups(text[...]).flatMap { $0.count == 16 ? $0 : nil }
        }
        // A second gap leaves an empty group behind, which is none.
        guard let head = self.groups(text[..<gap.lowerBound]), let tail = self.groups(text[gap.upperBound...]),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of groups of up to four hexadecimal digits; the last one may be an address of version 4.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, group) in groups.enumerated() {
            if index == groups.count - 1, group.contains(".") {
                guard let last = self.version4(String(group)) else { return nil }
                bytes += last
            } else {
                guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ Hex.nibble($0) != Hex.invalid }),
                    let number = UInt16(group, radix: 16)
                else { return nil }
                bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }
}

/// The addresses that begin with the same bits: `10.0.0.0/24`.
struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Reads the network of a rule `cidr`.
    ///
    /// - Throws: ``FilterPolicyError`` in SNS' words.
    init(_ text: String) throws(FilterPolicyError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw FilterPolicyError("Malformed CIDR, one '/' required") }
        guard let bits = Int(parts[1]) else {
            throw FilterPolicyError("Malformed CIDR, mask bits must be an integer")
        }
        guard let address = IPAddress(parts[0]) else {
            throw FilterPolicyError("Nonstandard IP address: \(parts[0].cut)")
        }
        guard (0...address.bytes.count * 8).contains(bits) else {
            throw FilterPolicyError("Malformed CIDR, mask bits must be 0...\(address.bytes.count * 8), got \(bits)")
        }
        self.address = address
        self.bits = bits
    }

    /// Whether an address of the same version begins with the network's bits.
    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == self.address.bytes.count else { return false }
        let whole = self.bits / 8
        guard other.bytes.prefix(whole) == self.address.bytes.prefix(whole) else { return false }
        let rest = self.bits % 8
        return rest == 0 || (other.bytes[whole] ^ self.address.bytes[whole]) >> (8 - rest) == 0
    }
}
