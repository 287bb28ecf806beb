// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Address ranges")
struct AddressRangeTests {
    @Test(
        "a range contains the addresses with its prefix, and mapped IPv4 addresses are IPv4 addresses",
        arguments: [
            ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false),
            ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "203.0.113.9", false),
            ("::/0", "2001:db8::1", true), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("192.0.2.0/24", "::ffff:192.0.2.1", true),
            ("::ffff:192.0.2.0/120", "192.0.2.1", true), ("::ffff:192.0.2.0/120", "192.0.3.1", false),
            ("::ffff:0:0/96", "203.0.113.9", true), ("2001:DB8::1", "2001:db8:0::1", true),
        ]
    )
    func contains(_ range: String, _ address: String, _ isIn: Bool) throws {
        let range = try AddressRange(validating: range)
        let address = try #require(NetworkAddress(address))
        #expect(range.contains(address) == isIn)
        #expect(AddressRange(range.description) == range)
    }

    @Test(
        "a text that is no range is rejected",
        arguments: [
            "", "/", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/+8", "192.0.2.0/24/24", "192.0.2.1/24",
            "192.0.2/24", "::/129", "2001:db8::1/64", "::ffff:192.0.2.0/95", "example.com", "192.0.2.0/2４",
            "192.0.2.0/99999999999999999999", " 192.0.2.0", "fe80::1%eth0",
        ]
    )
    func invalid(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("a key with allowed addresses is refused from others, and from an unknown one")
    func key() throws {
        var key = APIKey(id: "key", name: "key", scopes: [.send], secretHash: [], createdAt: .distantPast)
        #expect(key.refusal(from: { nil }) == nil)
        key.allowedAddresses = [try AddressRange(validating: "192.0.2.0/24")]
        #expect(key.refusal(from: { NetworkAddress("192.0.2.1") }) == nil)
        #expect(key.refusal(from: { NetworkAddress("198.51.100.1") }) == .addressNotAllowed)
        #expect(key.refusal(from: { nil }) == .addressNotAllowed)
    }

    @Test(
        "a redacted URL has scheme and host only, and a digest of all of it",
        arguments: [
            ("https://hooks.example.com/secret?token=1", "https://hooks.example.com"),
            ("http://user:pass@example.com:8080/a", "http://example.com:8080"),
            ("https://example.com?t=1", "https://example.com"),
            ("nonsense", "nonsense//"),
        ]
    )
    func redacted(_ text: String, _ origin: String) {
        let url = RedactedURL(text)
        #expect(url.origin == origin)
        #expect(url.digest != RedactedURL(text + "2").digest)
        #expect(url.digest.count == 16)
    }
}
