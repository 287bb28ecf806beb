// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import PushAPI
import PushModel

/// The listener for clients of apns-proxy-server.
extension ServerConfiguration {
    /// Checks that the two ports can be opened.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration`.
    func checkProxyPorts(_ proxy: ProxyConfiguration) throws {
        if proxy.port == 65_535, proxy.pullPort == nil {
            throw self.fault(
                in: .proxyPort,
                "expected a port below 65535, as the next one is used too, or proxy.pullPort"
            )
        }
        if let pullPort = proxy.pullPort, pullPort != 0, pullPort == proxy.port {
            throw self.fault(in: .proxyPullPort, "expected another port than proxy.port, got \(pullPort)")
        }
    }

    /// Parses the apps of `appid` values.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration`.
    func proxyApplications(_ text: String) throws -> [String: ProxyConfiguration.Application] {
        var applications: [String: ProxyConfiguration.Application] = [:]
        for entry in text.split(separator: ",") {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false)
            let target = parts.last?.split(separator: ":", omittingEmptySubsequences: false) ?? []
            let environment = target.count == 2 ? APNsEnvironment(rawValue: String(target[1])) : nil
            guard parts.count == 2, !parts[0].isEmpty, let app = AppID(rawValue: String(target.first ?? "")),
                target.count == 1 || environment != nil, applications[String(parts[0])] == nil
            else {
                let rule = "appid=app or appid=app:environment, each appid once, separated by commas"
                throw self.fault(in: .proxyApps, "expected \(rule), got '\(entry)'")
            }
            applications[String(parts[0])] = .init(app: app, environment: environment)
        }
        return applications
    }
}
