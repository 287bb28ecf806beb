// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore
package import PushModel

/// Whom a connection comes from, as far as limits are concerned: an IPv4 address, or the first 64 bits of an IPv6
/// address.
struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    let description: String
    let isLoopback: Bool

    init(_ address: NetworkAddress) {
        let plain = address.unmapped
        if plain.bytes.count == 4 {
            self.description = plain.text
            self.isLoopback = plain.bytes.first == 127
        } else {
            self.description = Hex.text(plain.bytes.prefix(8)) + "/64"
            self.isLoopback = plain.bytes.dropLast().allSatisfy { $0 == 0 } && plain.bytes.last == 1
        }
    }

    /// `nil` if it is not an IP address.
    init?(_ address: SocketAddress?) {
        guard let address = NetworkAddress(address) else { return nil }
        self.init(address)
    }
}

extension NetworkAddress {
    /// The IP address of a socket; `nil` if it has none.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        // The zone of a link-local address is of this machine.
        self.init(String(text.prefix { $0 != "%" }))
    }
}

/// The proxies that the server believes when they report the address of a client.
package struct TrustedProxies: Hashable, Sendable {
    /// The most entries of `X-Forwarded-For` that are read, the last ones.
    private static let maximumHops = 32

    /// Default: none.
    package var ranges: [AddressRange] = []

    /// Whether connections from these proxies begin with a header of the PROXY protocol.
    ///
    /// Default: `false`.
    package var sendProxyHeader = false

    package init() {}

    func contains(_ address: NetworkAddress) -> Bool { self.ranges.contains { $0.contains(address) } }

    /// The client of a request on a connection from `peer`.
    ///
    /// This is the last address in `X-Forwarded-For` that no trusted proxy has, if `peer` is a trusted proxy. The
    /// addresses before it could be invented by the client.
    func client(of headers: HTTPFields, from peer: NetworkAddress) -> NetworkAddress {
        var client = peer
        guard !self.ranges.isEmpty, self.contains(client) else { return client }
        let entries = headers[values: .forwardedFor].flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        for entry in entries.suffix(Self.maximumHops).reversed() {
            guard let address = Self.address(in: entry) else { return client }
            client = address
            guard self.contains(client) else { return client }
        }
        return client
    }

    /// Reads an entry, which some proxies write with a port.
    private static func address(in entry: Substring) -> NetworkAddress? {
        let text = entry.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        guard text.utf8.count <= 64 else { return nil }
        if text.first == "[" { return NetworkAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let isWithPort = text.contains(".") && text.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1
        return NetworkAddress(String(isWithPort ? text.prefix { $0 != ":" } : text))
    }
}

extension HTTPField.Name {
    /// The addresses that a request came from, added by each proxy.
    fileprivate static let forwardedFor: HTTPField.Name = {
        // Cannot trap: the text is a constant and a valid field name.
        guard let name = HTTPField.Name("X-Forwarded-For") else { preconditionFailure("a valid field name") }
        return name
    }()
}
