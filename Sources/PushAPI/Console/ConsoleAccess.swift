// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import PushModel

/// Accepts the cookie of the console instead of an API key, from the pages of this server only.
struct ConsoleAccess: Sendable {
    /// The header that every change by cookie needs.
    ///
    /// A form of another site cannot set it, and a script of another site may not.
    static let changeHeader = "X-Apus-Console"

    let audience: ConsoleAudience
    let masterKey: MasterKey
    let now: @Sendable () -> Date

    /// Whether the console is served to the sender of a request.
    func isServed(to request: Request) -> Bool {
        self.audience == .all || (self.audience == .loopback && Self.isLoopback(request))
    }

    /// The session of a request; `nil` if it has no cookie of the console, or the console is not served to its sender.
    ///
    /// - Throws: ``Problem`` `.sessionExpired`, `.crossOriginRequest`.
    func session(of request: Request) throws(Problem) -> ConsoleSession? {
        guard self.isServed(to: request), let text = self.cookie(of: request) else { return nil }
        try self.checkOrigin(of: request)
        guard let session = ConsoleSession(text: text, masterKey: self.masterKey), session.isValid(now: self.now())
        else { throw Problem(.sessionExpired, ProblemCode.sessionExpired.entry.meaning) }
        return session
    }

    private func cookie(of request: Request) -> String? {
        guard let header = request.headers[.cookie] else { return nil }
        let prefix = "\(Self.cookieName(for: request))="
        let pairs = header.split(separator: ";").map { $0.drop { $0 == " " } }
        return pairs.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Rejects requests that a page of another origin made.
    ///
    /// - Throws: ``Problem`` `.crossOriginRequest`.
    func checkOrigin(of request: Request) throws(Problem) {
        let isChange = request.method != .get && request.method != .head
        let site = Self.header("Sec-Fetch-Site", of: request)
        let origin = Self.header("Origin", of: request)
        // Browsers send Sec-Fetch-Site to origins with TLS and to loopback addresses.
        let isSameOrigin =
            if let site {
                site == "same-origin"
            } else if let origin {
                origin.split(separator: "/").last.map(String.init) == request.head.authority
            } else {
                !isChange
            }
        let hasHeader = !isChange || Self.header(Self.changeHeader, of: request) != nil
        guard isSameOrigin, hasHeader else {
            throw Problem(.crossOriginRequest, ProblemCode.crossOriginRequest.entry.meaning)
        }
    }

    /// The header that stores a session in the browser; `nil` if the session cannot be signed.
    func setCookie(_ session: ConsoleSession, for request: Request) -> String? {
        let seconds = Int(max(0, session.expiresAt.timeIntervalSince(self.now())).rounded(.down))
        return session.text(masterKey: self.masterKey).map {
            Self.cookie(value: $0, seconds: seconds, for: request)
        }
    }

    /// The header that removes the session from the browser.
    static func removeCookie(for request: Request) -> String {
        self.cookie(value: "", seconds: 0, for: request)
    }

    private static func cookie(value: String, seconds: Int, for request: Request) -> String {
        let secure = self.isLoopback(request) ? "" : "; Secure"
        let name = self.cookieName(for: request)
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)\(secure)"
    }

    /// Beyond loopback addresses, browsers accept the name only over TLS, and from this host only.
    ///
    /// It has the port, because all ports of a host share their cookies.
    private static func cookieName(for request: Request) -> String {
        let port = (request.head.authority ?? "").split(separator: ":").last.flatMap { UInt16($0) }
        return (self.isLoopback(request) ? "" : "__Host-") + "apus-console" + (port.map { "-\($0)" } ?? "")
    }

    /// Whether the browser reached this server under a name of its own machine, as far as can be seen.
    ///
    /// A proxy on this machine adds headers or passes the name that the browser knows: as `Host`, or at least in the
    /// `Origin` of a sign-in.
    private static func isLoopback(_ request: Request) -> Bool {
        let forwarding = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via"]
        if forwarding.contains(where: { self.header($0, of: request) != nil }) { return false }
        let origin = self.header("Origin", of: request).map { $0.split(separator: "/").last.map(String.init) ?? "" }
        return self.isLoopback(request.head.authority ?? "") && origin.map(self.isLoopback) != false
    }

    private static func header(_ name: String, of request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }

    private static func isLoopback(_ authority: String) -> Bool {
        let isIPv6 = authority.hasPrefix("[")
        let host = isIPv6 ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "::1"].contains(host)
    }
}

/// What a request authenticates with.
enum CallerCredential: Sendable {
    case secret(APIKeySecret)

    /// A browser that signed in with the key.
    case session(ConsoleSession)

    var keyID: APIKeyID {
        switch self {
        case .secret(let secret): secret.id
        case .session(let session): session.key
        }
    }

    /// Checks that it represents this key, and that the key is valid.
    ///
    /// - Throws: ``Problem`` with status 401.
    func check(_ key: APIKey, now: Date) throws(Problem) {
        let refusal: APIKey.Refusal?
        switch self {
        case .secret(let secret): refusal = key.refusal(of: secret, now: now)
        case .session(let session):
            guard session.isValid(now: now) else {
                throw Problem(.sessionExpired, ProblemCode.sessionExpired.entry.meaning)
            }
            refusal = key.refusal(now: now)
        }
        if let refusal { throw Problem(refusal) }
    }
}
