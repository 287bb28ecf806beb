// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("The console", .timeLimit(.minutes(20)))
struct ConsoleTests {
    private static let session = "/console/session"
    private static let devices = "/v1/apps/\(TestAPI.app)/devices"

    private static var setup: TestSetup {
        var setup = TestSetup()
        setup.configuration.console = .all
        return setup
    }

    @Test("serves every file with a policy that allows its own origin only, and no other file")
    func files() async throws {
        let directory = ProjectFiles.url("Sources/CWebPages/console")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.contains("index.html"))
        try await withAPI(Self.setup) { api async throws in
            for name in names {
                let path = name == "index.html" ? "/console?page=devices" : "/console/\(name)"
                let answer = try await api.client.answer(to: .get, path, headers: [:], body: nil)
                #expect(answer.status == 200, "\(name)")
                let file = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
                #expect(answer.text == file, "\(name)")
                let policy = answer.headers[.contentSecurityPolicy] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"), "\(name)")
                #expect(policy.contains("frame-ancestors 'none'; require-trusted-types-for 'script'"))
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            }
            for name in ["other.js", "phone.js", "..%2Fwall%2Fmain.js"] {
                let answer = try await api.client.answer(to: .get, "/console/\(name)", headers: [:], body: nil)
                #expect(answer.status == 404, "\(name)")
            }
        }
    }

    @Test("is served by default only to browsers that open it under a loopback address without a proxy")
    func loopback() async throws {
        var setup = Self.setup
        setup.configuration.console = .loopback
        setup.hasSocket = true
        let masterKey = try #require(setup.masterKey)
        let local: [(String, String)] = [("Host", "127.0.0.1:8080"), ("Host", "localhost"), ("Host", "[::1]:8080")]
        let others: [(String, String)] = [
            ("Host", "push.example.com"), ("Host", "127.0.0.1.example.com"), ("X-Forwarded-For", "10.0.0.1"),
            ("X-Forwarded-Proto", "https"), ("Forwarded", "for=10.0.0.1"), ("Origin", "https://push.example.com"),
        ]
        try await withAPI(setup) { api async throws in
            let session = ConsoleSession(key: api.admin.id, startedAt: TestTime.start)
            let text = try #require(session.text(masterKey: masterKey))
            let cookie = "apus-console=\(text); apus-console-8080=\(text); __Host-apus-console=\(text)"
            for (name, value) in local + others {
                let isLocal = local.contains { $0 == (name, value) }
                var headers: HTTPFields = [.cookie: "\(cookie); apus-console-\(api.client.port ?? 0)=\(text)"]
                let field = try #require(HTTPField.Name(name))
                headers[field] = value
                let page = try await api.client.answer(to: .get, "/console", headers: headers, body: nil)
                #expect(page.status == (isLocal ? 200 : 404), "\(name): \(value)")
                let data = try await api.client.answer(to: .get, Self.devices, headers: headers, body: nil)
                #expect(data.status == (isLocal ? 200 : 401), "\(name): \(value)")
                headers[.accept] = "text/html"
                let root = try await api.client.answer(to: .get, "/", headers: headers, body: nil)
                // The client follows the redirect.
                let isPage = root.headers[.contentType]?.hasPrefix("text/html") == true
                #expect(isPage == isLocal, "\(name): \(value)")
            }
        }
    }

    @Test("says what to do about every reason of APNs and every code of a failure")
    func remedies() throws {
        let strings = ProjectFiles.read("Sources/CWebPages/console/strings.js")
        let codes: [FailureCode] = [
            .timeout, .connectionLost, .cancelled, .expired, .noCredential, .invalidCredential, .corrupt, .storeError,
            .quarantined, .invalid, .missingValue, .payloadTooLarge, .superseded,
        ]
        for name in RejectionReason.device.map(\.rawValue) + codes.map(\.rawValue) {
            #expect(strings.contains("  \(name): ") || strings.contains(", \(name): "), "\(name)")
        }
    }

    @Test("knows every type of event")
    func eventTypes() {
        let strings = ProjectFiles.read("Sources/CWebPages/console/strings.js")
        for type in EventType.known { #expect(strings.contains("'\(type.rawValue)'"), "\(type)") }
    }

    @Test("is where browsers are sent from the root; other clients get the overview")
    func root() async throws {
        try await withAPI(Self.setup) { api async throws in
            let browser = try await api.client.answer(to: .get, "/", headers: [.accept: "text/html,*/*"], body: nil)
            #expect(browser.status == 303)
            #expect(browser.headers[.location] == "/console")
            #expect(try await api.call(.get, "/").json["name"]?.text == "Apus")
        }
        try await withAPI { api async throws in
            #expect(try await api.call(.get, "/", headers: [.accept: "text/html"]).status == 200)
        }
    }

    @Test("is not served, and accepts no cookie, unless it is enabled")
    func disabled() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            #expect(try await api.client.answer(to: .get, "/console", headers: [:], body: nil).status == 404)
            let session = ConsoleSession(key: api.admin.id, startedAt: TestTime.start)
            let masterKey = try #require(setup.masterKey)
            let text = try #require(session.text(masterKey: masterKey))
            let answer = try await Self.read(api, cookie: "__Host-apus-console=\(text); apus-console=\(text)")
            #expect(answer.code == "missing_api_key")
        }
    }

    @Test("signs in with a key, returns what the key may do, and renews the session")
    func signIn() async throws {
        let setup = Self.setup
        try await withAPI(setup) { api async throws in
            let key = try await api.key(scopes: [.read], app: TestAPI.app)
            let signedIn = try await Self.signIn(api, key.text)
            #expect(signedIn.status == 200)
            #expect(signedIn.json["scopes"] == ["read"])
            #expect(signedIn.json["app"]?.text == TestAPI.app.rawValue)
            let header = try #require(signedIn.headers[.setCookie])
            #expect(header.contains("; Path=/; HttpOnly; SameSite=Strict; Max-Age=28800"))
            #expect(!header.contains(key.text))
            let cookie = Self.cookie(header)
            let read = try await Self.read(api, cookie: cookie)
            #expect(read.status == 200)
            #expect(read.headers[.cacheControl] == "no-store")
            setup.time.advance(by: 7 * 3600)
            let renewed = try await Self.call(api, .get, Self.session, cookie: cookie)
            #expect(renewed.status == 200)
            let renewal = try #require(renewed.headers[.setCookie])
            let other = Self.cookie(renewal)
            setup.time.advance(by: 7 * 3600)
            #expect(try await Self.read(api, cookie: cookie).code == "session_expired")
            #expect(try await Self.read(api, cookie: other).status == 200)
            setup.time.advance(by: 10 * 3600)
            #expect(try await Self.call(api, .get, Self.session, cookie: other).code == "session_expired")
        }
    }

    @Test("rejects a sign-in without a valid key")
    func wrongKey() async throws {
        try await withAPI(Self.setup) { api async throws in
            let revoked = try await api.key(scopes: [.read], revokedAt: TestTime.start)
            #expect(try await Self.signIn(api, revoked.text).code == "revoked_api_key")
            #expect(try await Self.signIn(api, APIKeySecret.generate().text).code == "invalid_api_key")
            #expect(try await Self.signIn(api, "nonsense").code == "invalid_request")
            let body = ByteBuffer(string: #"{"other":1}"#)
            let answer = try await Self.call(api, .post, Self.session, cookie: "", body: body)
            #expect(answer.status == 400 || answer.status == 422)
        }
    }

    @Test("a session has the scopes and the app of its key, and ends with it")
    func key() async throws {
        try await withAPI(Self.setup) { api async throws in
            let key = try await api.key(scopes: [.read], app: TestAPI.app)
            let cookie = try await Self.cookie(api, key.text)
            let deletion = try await Self.call(api, .delete, "\(Self.devices)/phone", cookie: cookie)
            #expect(deletion.code == "insufficient_scope")
            #expect(try await Self.call(api, .get, "/v1/apps", cookie: cookie).code == "api_key_app_mismatch")
            try await api.call(.delete, "/v1/keys/\(key.id)")
            #expect(try await Self.read(api, cookie: cookie).code == "revoked_api_key")
        }
    }

    @Test("a header with a key overrides the cookie")
    func header() async throws {
        try await withAPI(Self.setup) { api async throws in
            let key = try await api.key(scopes: [.send])
            let cookie = try await Self.cookie(api, api.admin.text)
            let headers: HTTPFields = [.cookie: cookie, .authorization: "Bearer \(key.text)"]
            let answer = try await api.client.answer(to: .get, Self.devices, headers: headers, body: nil)
            #expect(answer.code == "insufficient_scope")
        }
    }

    @Test("signing out removes the cookie")
    func signOut() async throws {
        try await withAPI(Self.setup) { api async throws in
            let answer = try await Self.call(api, .delete, Self.session, cookie: "")
            #expect(answer.status == 204)
            #expect(answer.headers[.setCookie]?.contains("=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0") == true)
        }
    }

    private static func signIn(_ api: TestAPI, _ key: String) async throws -> Answer {
        try await Self.call(api, .post, Self.session, cookie: "", body: ByteBuffer(string: #"{"key":"\#(key)"}"#))
    }

    private static func read(_ api: TestAPI, cookie: String) async throws -> Answer {
        try await Self.call(api, .get, Self.devices, cookie: cookie)
    }

    /// A request as a page of the console makes it.
    private static func call(
        _ api: TestAPI,
        _ method: HTTPRequest.Method,
        _ path: String,
        cookie: String,
        body: ByteBuffer? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [.cookie: cookie]
        for (name, value) in [("Sec-Fetch-Site", "same-origin"), ("X-Apus-Console", "1")] {
            let name = try #require(HTTPField.Name(name))
            headers[name] = value
        }
        if body != nil { headers[.contentType] = "application/json" }
        return try await api.client.answer(to: method, path, headers: headers, body: body)
    }

    private static func cookie(_ api: TestAPI, _ key: String) async throws -> String {
        let header = try await Self.signIn(api, key).headers[.setCookie]
        return Self.cookie(try #require(header))
    }

    private static func cookie(_ header: String) -> String { String(header.prefix { $0 != ";" }) }
}
