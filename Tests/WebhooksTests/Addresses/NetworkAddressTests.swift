// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Testing
import Webhooks

@Suite("Addresses that receivers may have")
struct NetworkAddressTests {
    @Test(
        "those of the public internet are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.167.1.1",
            "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
            "64:ff9b::808:808", "2002:0808:0808::1", "168.63.129.15", "168.63.129.17",
        ]
    )
    func publicOnes(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }

    @Test(
        "those of private networks, of this machine and of no network are not",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.9",
            "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1",
            "2001:db8::1", "2001::1", "3fff::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
            "2002:7f00:1::1", "2002:c0a8:1::1",
            // The metadata services of Azure, AWS, Alibaba and Oracle.
            "168.63.129.16", "::ffff:168.63.129.16", "fd00:ec2::254", "100.100.100.200", "192.0.0.192",
        ]
    )
    func privateOnes(text: String) throws {
        #expect(try !#require(NetworkAddress(text)).isPublic)
    }

    @Test(
        "a name is no address",
        arguments: ["", "localhost", "1.2.3", "0x7f.1", "2130706433", "fe80::1%eth0", "[::1]"]
    )
    func names(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test(
        "a host in digits is the address that the system takes it for, and a name is none",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("10.1", "10.0.0.1"),
            ("0251.0376.0251.0376", "169.254.169.254"), ("1.1", "1.0.0.1"), ("::1", "::1"), ("localhost", nil),
            ("hooks.example.com", nil), ("256.1.1.1", nil), ("", nil),
        ] as [(String, String?)]
    )
    func hosts(host: String, address: String?) {
        #expect(NetworkAddress(host: host)?.text == address)
    }

    @Test(
        "a host is this machine by its loopback address or name",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("localhost", true),
            ("a.localhost", true), ("0x7f.1", true), ("0.0.0.0", false), ("::", false), ("128.0.0.1", false),
            ("localhost.example.com", false), ("", false), ("10.0.0.1", false),
        ]
    )
    func loopback(host: String, isLoopback: Bool) {
        #expect(NetworkAddress.isLoopback(host: host) == isLoopback)
    }

    @Test("the system knows this machine by its name, and an odd way to write its address")
    func system() async throws {
        for host in ["localhost", "127.0.0.1", "2130706433", "0x7f.1"] {
            let addresses = try await SystemResolver().addresses(of: host)
            #expect(!addresses.isEmpty)
            #expect(addresses.allSatisfy { !$0.isPublic }, "\(host)")
        }
        #expect(try await SystemResolver().addresses(of: "no-such-host.invalid").isEmpty)
    }
}
