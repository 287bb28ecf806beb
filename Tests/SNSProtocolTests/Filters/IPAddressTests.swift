// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Addresses of the Internet Protocol")
struct IPAddressTests {
    @Test(
        "are read in their usual forms",
        arguments: [
            ("0.0.0.0", [0, 0, 0, 0]), ("255.1.2.3", [255, 1, 2, 3]),
            ("::", [UInt8](repeating: 0, count: 16)), ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
            ("2001:db8:0:1:2:3:4:ffff", [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 255, 255]),
            ("::ffff:10.0.0.1", [UInt8](repeating: 0, count: 10) + [255, 255, 10, 0, 0, 1]),
        ] as [(String, [UInt8])]
    )
    func read(text: String, bytes: [UInt8]) {
        #expect(IPAddress(text)?.bytes == bytes)
    }

    @Test(
        "nothing else is one",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.-4", "1.2.3.+4", "01234.1.1.1", "a.b.c.d", ":", ":::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3",
        ]
    )
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("a network holds the addresses that share its bits")
    func networks() throws {
        for (network, address, isInside) in [
            ("10.1.2.3/32", "10.1.2.3", true), ("10.1.2.3/32", "10.1.2.2", false),
            ("0.0.0.0/0", "255.255.255.255", true),
            ("192.168.128.0/17", "192.168.127.255", false), ("192.168.128.0/17", "192.168.255.1", true),
            ("::/0", "10.0.0.1", false), ("fe80::/10", "febf::1", true), ("fe80::/10", "fec0::1", false),
        ] {
            #expect(try IPNetwork(network).contains(#require(IPAddress(address))) == isInside, "\(network) \(address)")
        }
    }
}
