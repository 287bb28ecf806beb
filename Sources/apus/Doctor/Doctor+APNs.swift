// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Delivery
import Foundation
import NIOCore
import X509

extension Doctor {
    /// A server of APNs, the names of its configuration keys, and what fails without it.
    private struct ProbedServer {
        let endpoint: APNsEndpoint
        let hostKey: ConfigurationKey
        let portKey: ConfigurationKey
        let authorityKey: ConfigurationKey
        let effect: String

        var place: String { "\(self.endpoint.host):\(self.endpoint.port)" }
    }

    private static let unreadableAuthority = DoctorFinding.skipped(
        "not contacted, because the certificate authority to trust cannot be read"
    )

    private var timeout: TimeAmount { .seconds(Int64(self.configuration.apnsTimeoutSeconds)) }

    /// Connects to the server of an environment: at the configured port, and at Apple's other one if it is Apple's.
    func checkAPNs(_ environment: APNsEnvironment) async -> [DoctorFinding] {
        guard !self.isOffline else { return [.skipped("not contacted, because of --offline")] }
        guard let endpoint = (try? self.configuration.deliveryConfiguration())?.endpoints[environment] else {
            return [Self.unreadableAuthority]
        }
        let isApple = endpoint.host.hasSuffix(".push.apple.com")
        let applePorts = isApple ? [APNsPort.standard, APNsPort.alternate] : []
        let ports = [endpoint.port] + applePorts.filter { $0 != endpoint.port }
        let timeout = self.timeout
        let results = await withTaskGroup(of: (Int, ServerProbe.Result).self) { group in
            for port in ports {
                var place = endpoint
                place.port = port
                let probe = ServerProbe(endpoint: place, timeout: timeout)
                group.addTask { (port, await probe.run()) }
            }
            return await group.reduce(into: [Int: ServerProbe.Result]()) { $0[$1.0] = $1.1 }
        }
        let ordered = ports.compactMap { port in results[port].map { (port: port, result: $0) } }
        return self.findings(ordered, at: endpoint, in: environment)
    }

    /// Connects to the server that manages the broadcast channels of an environment.
    ///
    /// Its problems are warnings, because only apps with channels need it.
    func checkChannels(_ environment: APNsEnvironment) async -> [DoctorFinding] {
        guard !self.isOffline else { return [.skipped("not contacted, because of --offline")] }
        guard let endpoint = (try? self.configuration.channelDestinations())?[environment] else {
            return [Self.unreadableAuthority]
        }
        let isSandbox = environment == .sandbox
        let server = ProbedServer(
            endpoint: endpoint,
            hostKey: isSandbox ? .sandboxChannelHost : .productionChannelHost,
            portKey: isSandbox ? .sandboxChannelPort : .productionChannelPort,
            authorityKey: isSandbox ? .sandboxAuthority : .productionAuthority,
            effect: "Broadcast channels in \(environment.rawValue) cannot be created, listed or deleted."
        )
        let probe = ServerProbe(endpoint: endpoint, timeout: self.timeout)
        let finding = self.finding(await probe.run(), at: server, otherPort: nil)
        guard finding.severity == .error else { return [finding] }
        return [.warning(finding.problem, effect: finding.effect ?? "", fix: finding.fix ?? "")]
    }

    /// - Parameter results: that of the configured port first.
    private func findings(
        _ results: [(port: Int, result: ServerProbe.Result)],
        at endpoint: APNsEndpoint,
        in environment: APNsEnvironment
    ) -> [DoctorFinding] {
        guard let configured = results.first else { return [] }
        let isSandbox = environment == .sandbox
        let server = ProbedServer(
            endpoint: endpoint,
            hostKey: isSandbox ? .sandboxHost : .productionHost,
            portKey: isSandbox ? .sandboxPort : .productionPort,
            authorityKey: isSandbox ? .sandboxAuthority : .productionAuthority,
            effect: "No \(environment.rawValue) push is sent. Pushes wait, and expire."
        )
        let others = results.dropFirst()
        let working = others.first { $0.result.isConnected }?.port
        var findings = [
            self.finding(configured.result, at: server, otherPort: working)
        ]
        if configured.result.isConnected {
            for (port, result) in others {
                findings.append(.ok("port \(port) \(result.isConnected ? "works as well" : "does not work")"))
            }
        }
        return findings
    }

    /// Returns the finding for the result of a probe; `otherPort` is a port of the same server that works.
    private func finding(_ result: ServerProbe.Result, at server: ProbedServer, otherPort: Int?) -> DoctorFinding {
        let endpoint = server.endpoint
        let place = server.place
        let effect = server.effect
        let other = otherPort.map { " Or use the port that works: \(server.portKey.name) \($0)." } ?? ""
        switch result {
        case .connected(let chain):
            let issuer = chain.first.map { "; certificate issued by \($0.issuer)" } ?? ""
            guard ServerProbe.isIntercepted(endpoint.host, chain) else { return .ok("\(place)\(issuer)") }
            return .warning(
                "The certificate of \(place) is not issued by Apple\(issuer). A proxy intercepts TLS.",
                effect: "The proxy can read and change all requests, and push certificates do not work through it.",
                fix: "Exempt \(endpoint.host) from TLS interception."
            )
        case .unresolved(let error):
            return .error(
                "The name \(endpoint.host) does not resolve (\(error)).",
                effect: effect,
                fix: "Correct the name server of this machine (/etc/resolv.conf), or \(server.hostKey.name)."
            )
        case .unreachable(let error):
            return .error(
                "No TCP connection to \(place) (\(error)).",
                effect: effect,
                fix: "Allow outgoing TCP connections to \(place) in the firewall.\(other)\(self.proxyHint)"
            )
        case .noTLS(let error):
            return .error(
                "TCP to \(place) works, but the TLS handshake fails (\(error)).",
                effect: effect,
                fix: "Allow TLS to \(place) in the firewall, without inspection.\(other)\(self.proxyHint)"
            )
        case .untrusted(let error, let chain):
            return self.untrusted(error, chain, at: server)
        case .noHTTP2(let negotiated, let chain):
            let found = negotiated.map { "'\($0)'" } ?? "no application protocol"
            let issuer = chain.first.map { " Its certificate is issued by \($0.issuer)." } ?? ""
            return .error(
                "\(place) negotiates \(found) in TLS. Expected 'h2' (HTTP/2, by ALPN).\(issuer)",
                effect: effect,
                fix: "Exempt \(endpoint.host) from proxies and TLS interception, or correct \(server.hostKey.name) and "
                    + "\(server.portKey.name)."
            )
        }
    }

    private func untrusted(_ error: String, _ chain: [Certificate], at server: ProbedServer) -> DoctorFinding {
        let place = server.place
        let shown = chain.map { "\($0.subject), issued by \($0.issuer)" }.joined(separator: "; ")
        if let own = chain.first, own.notValidAfter < self.now || own.notValidBefore > self.now {
            let validity = "\(own.notValidBefore.ISO8601Format()) to \(own.notValidAfter.ISO8601Format())"
            return .error(
                "The certificate of \(place) is valid from \(validity), and the clock shows "
                    + "\(self.now.ISO8601Format()). It is of \(shown).",
                effect: server.effect,
                fix: "Set the clock of this machine if it is wrong. Otherwise renew the certificate of that server."
            )
        }
        return .error(
            "The certificate of \(place) is not trusted: \(shown) (\(error)).",
            effect: server.effect,
            fix: "If the issuer is a proxy or firewall of your network, exempt \(place) from TLS interception. For a "
                + "simulator, name its authority: \(server.authorityKey.name)"
        )
    }

    private var proxyHint: String {
        let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { self.environment[$0]?.isEmpty == false }) else { return "" }
        return " \(name) is set, but connections to APNs do not use an HTTP proxy."
    }
}

extension ServerProbe.Result {
    fileprivate var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}

extension ServerProbe {
    /// Whether another authority than Apple's issued the trusted certificate of one of Apple's servers.
    static func isIntercepted(_ host: String, _ chain: [Certificate]) -> Bool {
        guard host.hasSuffix(".push.apple.com"), let own = chain.first else { return false }
        return !"\(own.issuer)".contains("Apple")
    }
}
