// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import Testing

@Suite("Webhooks")
struct WebhookTests {
    private static let now = TestDateSource.beginning

    private func webhook() throws -> Webhook {
        Webhook(
            id: "wh_1",
            app: "com.example.app",
            url: try WebhookURL(validating: "https://hooks.example.com"),
            kinds: nil,
            sealedSecret: [],
            createdAt: Self.now,
            cursor: .beginning
        )
    }

    private func failure(_ sequence: Int64, isGone: Bool = false) -> WebhookDeliveryUpdate.Failure {
        .init(
            cursor: EventCursor(sequence: sequence),
            isGone: isGone,
            retryAfter: .seconds(5),
            disableAfter: .seconds(60)
        )
    }

    @Test(
        "a URL is read into its parts",
        arguments: [
            ("https://hooks.example.com", "hooks.example.com", 443, true),
            ("HTTPS://Hooks.Example.com:8443/a?b=c", "Hooks.Example.com", 8443, true),
            ("http://127.0.0.1/", "127.0.0.1", 80, false), ("https://[2001:db8::1]:1?x", "2001:db8::1", 1, true),
        ]
    )
    func urls(text: String, host: String, port: Int, isSecure: Bool) throws {
        let url = try WebhookURL(validating: text)
        #expect(url.host == host && url.port == port && url.isSecure == isSecure && url.text == text)
    }

    @Test(
        "what is no such URL is refused",
        arguments: [
            "", "hooks.example.com", "ftp://example.com", "https://", "https:///a", "https://a b.com",
            "https://user@example.com", "https://user:secret@example.com", "https://example.com#a",
            "https://example.com:", "https://example.com:0", "https://example.com:65536", "https://example.com:a",
            "https://[::1", "https://[::1]x", "https://exa\\mple.com", "https://exämple.com", "https://a%2eb.com",
            "https://example.com/" + String(repeating: "a", count: 2048),
        ]
    )
    func badURLs(text: String) {
        #expect(throws: InvalidValueError.self) { try WebhookURL(validating: text) }
    }

    @Test(
        "a URL has a private address if its host is one, and not if the host is a name",
        arguments: [
            ("https://127.0.0.1/", true), ("https://10.0.0.7:8443/a", true), ("https://169.254.169.254/latest", true),
            ("https://168.63.129.16/machine", true),
            ("https://[::1]/", true), ("https://[fe80::1]/", true), ("https://[::ffff:192.168.0.1]/", true),
            ("https://[64:ff9b::7f00:1]/", true), ("https://2130706433/", true), ("https://0x7f.1/", true),
            ("https://1.1.1.1/", false), ("https://[2606:4700:4700::1111]/", false), ("https://localhost/", false),
            ("https://10.example.com/", false),
        ]
    )
    func privateAddresses(text: String, isPrivate: Bool) throws {
        #expect(try WebhookURL(validating: text).hasPrivateAddress == isPrivate)
    }

    @Test("a URL with a user is refused with the advice to verify the signature")
    func user() throws {
        let failure = try #require(throws: InvalidValueError.self) {
            try WebhookURL(validating: "https://anna:s3cret@example.com/a@b")
        }
        #expect(failure.value.contains("verify the signature"))
        #expect(!"\(failure)".contains("s3cret"))
    }

    @Test("it is disabled by the first failure after too long a time, and no success is forgotten")
    func disabling() throws {
        var webhook = try self.webhook()
        #expect(webhook.fail(self.failure(1), now: Self.now) == nil)
        #expect(webhook.fail(self.failure(1), now: Self.now + 59) == nil)
        webhook.advance(to: EventCursor(sequence: 1), now: Self.now + 59)
        #expect(webhook.fail(self.failure(2), now: Self.now + 60) == nil)
        #expect(webhook.fail(self.failure(2), now: Self.now + 120) == .failing)
        #expect(webhook.state == .disabled(reason: .failing, since: Self.now + 120))
        #expect(webhook.cursor == EventCursor(sequence: 1))
        #expect(webhook.fail(self.failure(2), now: Self.now + 121) == nil)
    }

    @Test("one that was paused meanwhile is not disabled, and keeps what its receiver has taken")
    func paused() throws {
        var webhook = try self.webhook()
        webhook.apply(.pause, now: Self.now)
        #expect(webhook.fail(self.failure(1, isGone: true), now: Self.now) == nil)
        webhook.advance(to: EventCursor(sequence: 3), now: Self.now)
        #expect(webhook.state == .paused && webhook.cursor == EventCursor(sequence: 3))
    }

    @Test("its cursor never goes back")
    func cursor() throws {
        var webhook = try self.webhook()
        webhook.advance(to: EventCursor(sequence: 5), now: Self.now)
        webhook.advance(to: EventCursor(sequence: 3), now: Self.now)
        webhook.lose(to: EventCursor(sequence: 4), count: 9)
        #expect(webhook.cursor == EventCursor(sequence: 5) && webhook.droppedEvents == 0)
        webhook.lose(to: EventCursor(sequence: 8), count: 2)
        #expect(webhook.cursor == EventCursor(sequence: 8) && webhook.droppedEvents == 2)
    }

    @Test("a secret opens for its webhook and master key alone, and is never printed")
    func secrets() throws {
        let key = MasterKey.generate()
        let secret = WebhookSecret.generate()
        func sealed(_ id: WebhookID) throws -> Webhook {
            Webhook(
                id: id,
                app: "com.example.app",
                url: try WebhookURL(validating: "https://hooks.example.com"),
                kinds: nil,
                sealedSecret: key.seal(secret, for: "wh_1"),
                createdAt: Self.now,
                cursor: .beginning
            )
        }
        #expect(try key.secret(of: sealed("wh_1")) == secret)
        #expect(throws: MasterKeyError.self) { try key.secret(of: sealed("wh_2")) }
        #expect(throws: MasterKeyError.self) { try MasterKey.generate().secret(of: sealed("wh_1")) }
        #expect(!"\(secret)".contains(secret.text.dropFirst(6)))
    }
}
