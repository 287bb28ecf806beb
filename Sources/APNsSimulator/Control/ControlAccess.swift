// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import NIOCore

/// The valid `Host` values of the control API.
///
/// Another name may belong to a web site that uses DNS rebinding to this machine.
struct ControlHosts: Sendable {
    private let hosts: Set<String>
    /// Whether the control API listens on all addresses of the machine: any of them may be its own.
    private let takesAllAddresses: Bool

    /// Loopback hosts, the host that is listened on, and these names.
    init(listeningOn host: String, names: [String]) {
        self.hosts = Set(([host] + names).map { Self.normal($0) })
        self.takesAllAddresses = ["0.0.0.0", "::"].contains(Self.normal(host))
    }

    /// Whether a `Host` field names one of the hosts.
    ///
    /// The port may be any: that of a tunnel or of a container differs.
    func admits(_ authority: String) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        return self.isKnown(host) || self.takesAllAddresses && Self.address(host) != nil
    }

    /// Whether an `Origin` field names a page of this machine, or of the host that the request goes to.
    func admits(origin: String, to authority: String?) -> Bool {
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: { origin.lowercased().hasPrefix($0) }),
            let host = Self.host(of: String(origin.dropFirst(scheme.count)))
        else { return false }
        return self.isKnown(host) || host == authority.flatMap { Self.host(of: $0) }
    }

    private func isKnown(_ host: String) -> Bool {
        if self.hosts.contains(host) || host == "localhost" || host.hasSuffix(".localhost") { return true }
        return Self.address(host) != nil && (host == "::1" || host.hasPrefix("127."))
    }

    /// The host of an authority, in the form in which hosts are compared; `nil` where it is none.
    private static func host(of authority: String) -> String? {
        guard authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<end]
            rest = authority[end...]
        }
        guard !host.isEmpty, rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy(\.isNumber) else {
            return nil
        }
        return Self.normal(String(host))
    }

    /// An address as the system writes it; a name in lower case, without the dot at its end.
    private static func normal(_ host: String) -> String {
        if let address = Self.address(host) { return address }
        return (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
    }

    private static func address(_ host: String) -> String? { (try? SocketAddress(ipAddress: host, port: 0))?.ipAddress }
}

/// Refuses requests that a browser sends for another web site.
///
/// The control API has no password. A page can send requests without a preflight, but not with a JSON content type,
/// and not without an `Origin` or a `Host` that identifies it.
struct AccessMiddleware<Context: RequestContext>: RouterMiddleware {
    let hosts: ControlHosts

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try self.checkHost(request)
        try self.checkOrigin(request)
        try self.checkContentType(request)
        return try await next(request, context)
    }

    private func checkHost(_ request: Request) throws(ControlProblem) {
        let host = request.head.authority
        if let host, self.hosts.admits(host) { return }
        throw ControlProblem(
            .foreignHost,
            field: "Host",
            rule: "localhost, a loopback address, the listen address, or a name of --control-host",
            value: host.map { String($0.prefix(80)) } ?? "nothing"
        )
    }

    private func checkOrigin(_ request: Request) throws(ControlProblem) {
        if let origin = request.headers[.origin], !self.hosts.admits(origin: origin, to: request.head.authority) {
            let rule = "none, or one of this machine"
            throw ControlProblem(.foreignOrigin, field: "Origin", rule: rule, value: String(origin.prefix(80)))
        }
        if let name = HTTPField.Name("sec-fetch-site"), request.headers[name]?.lowercased() == "cross-site" {
            let rule = "a request that was not sent by a page of another site"
            throw ControlProblem(.foreignOrigin, field: "Sec-Fetch-Site", rule: rule, value: "cross-site")
        }
    }

    private func checkContentType(_ request: Request) throws(ControlProblem) {
        guard request.headers[.transferEncoding] != nil || request.headers[.contentLength] ?? "0" != "0" else { return }
        let type = request.headers[.contentType]
        let essence = (type ?? "").prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        if essence == "application/json" || essence.hasPrefix("application/") && essence.hasSuffix("+json") { return }
        throw ControlProblem(
            .unsupportedMediaType,
            field: "Content-Type",
            rule: "application/json (curl -d sends another type by default)",
            value: type.map { String($0.prefix(80)) } ?? "nothing"
        )
    }
}
