// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import CommandLineSupport
import Delivery
import Foundation
import Logging
import NIOSSL
import PushAPI
import PushModel
import PushStore
import SNSProtocol
import Telemetry
import Webhooks

/// How a server runs.
struct ServerConfiguration: Sendable {
    /// Where pushes of one environment go.
    struct Endpoint: Sendable, Hashable {
        var host: String
        var port: Int

        /// A PEM file with the only authority to trust; `nil` means those of the system.
        var authority: String?
    }

    var host: String
    var port: Int

    /// The files for TLS; `nil` for plain HTTP.
    var tls: TLSFiles?

    /// Whether plain HTTP may be served at an address that other machines reach.
    var allowsInsecureHTTP: Bool

    /// How many connections to the API may be open at once.
    var maxConnections: Int
    var connectionsPerAddress: Int?
    var bodyMegabytes: Int
    var trustedProxies = TrustedProxies()

    /// The maximum number of requests per second of one API key; `nil` for no limit.
    var keyRequestsPerSecond: Int?

    /// Where a worker serves its probes; `nil` for nowhere.
    var probesPort: Int?

    /// The directory of the store and the master key.
    var data: String

    /// The PostgreSQL database that is the store; `nil` means a file in the data directory.
    var storeURL: String?
    var storeConnections: Int

    /// Whether this process also sends notifications.
    var delivers: Bool

    /// Whether this process also plans campaigns.
    var schedules: Bool

    /// How long a request waits for outcomes.
    var waitTimeoutSeconds: Int

    var masterKey: String?
    var masterKeyFile: String?
    var masterKeyCommand: String?

    /// Whether a new store has its device tokens and contents sealed.
    var sealsAtRest: Bool

    /// Whether a crash may write a core file, which contains keys.
    var allowsCoreDumps: Bool

    /// The only directory that credentials in files are read from.
    var credentialDirectory: String

    /// The control API of the simulator by whose time of day the process goes; `nil` means the system's.
    var clockSimulator: String?
    var logLevel: Logger.Level

    /// Whether the metrics are served without a key.
    var metricsAreUnauthenticated: Bool
    var console: ConsoleAudience
    var endpoints: [APNsEnvironment: Endpoint]

    /// Where broadcast channels of an environment are managed.
    var channelEndpoints: [APNsEnvironment: Endpoint]
    var apnsTimeoutSeconds: Int
    var leaseDurationSeconds: Int
    var responseTimeoutSeconds: Int
    var chunkSize: Int
    var maxInFlight: Int

    /// The maximum number of bulk notifications per second while there are urgent ones; `nil` for no limit.
    var bulkRateLimit: Int?
    var schedulingLeaseDurationSeconds: Int

    /// Whether this process ends the leases of processes that have terminated, and lets others notice its own end.
    var detectsTerminatedWorkers: Bool

    /// How many devices of a campaign may be planned and have no outcome.
    var maxEnqueuedTargets: Int

    /// How many devices of a rollout are written at once.
    var rolloutPageSize: Int

    /// The maximum numbers of priority-10 pushes per device and Live Activity in one hour.
    var activityLimits: PushBudget.Limits

    /// How long notifications are kept once they are settled, in days; 0 for ever.
    var notificationDays: Int

    /// How long events are kept, in days.
    var eventDays: Int

    /// How long entries of the audit log are kept, in days; 0 for ever.
    var auditDays: Int

    /// How long devices are kept that do not register again, in days; 0 for ever.
    var inactiveDeviceDays: Int

    /// How long devices are kept that APNs reported as unregistered, in days; 0 for ever.
    var invalidDeviceDays: Int

    /// How many events of one app are kept.
    var maxEventsPerApp: Int

    var postsToWebhooks: Bool

    /// Whether webhooks and subscribed URLs may lead to private networks.
    var allowsPrivateNetworks: Bool

    /// Whether webhooks may have `http` URLs.
    var allowsInsecureWebhooks: Bool

    /// After how many hours without a success a webhook is disabled.
    var webhookHours: Int

    var sns: SNSConfiguration

    /// The listener for clients of apns-proxy-server; `nil` if it is off.
    var proxy: ProxyConfiguration?
    private let sources: [ConfigurationKey: String]

    /// Takes the values of all keys, which ``ConfigurationSources/entries()`` has checked.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration` for values that contradict one another.
    init(_ entries: [ConfigurationSources.Entry]) throws {
        let values = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        func text(_ key: ConfigurationKey) -> String { (values[key] ?? nil) ?? key.fallback ?? "" }
        func optional(_ key: ConfigurationKey) -> String? { values[key] ?? nil }
        func number(_ key: ConfigurationKey) -> Int { Int(text(key)) ?? 0 }

        self.host = text(.host)
        self.port = number(.port)
        self.allowsInsecureHTTP = text(.insecureHTTP) == "true"
        self.maxConnections = number(.maxConnections)
        self.connectionsPerAddress = optional(.connectionsPerAddress).flatMap { Int($0) }
        self.bodyMegabytes = number(.bodyMegabytes)
        self.keyRequestsPerSecond = number(.keyRequestsPerSecond) == 0 ? nil : number(.keyRequestsPerSecond)
        self.probesPort = optional(.probesPort).flatMap { Int($0) }
        self.data = text(.data)
        self.storeURL = optional(.storeURL)
        self.storeConnections = number(.storeConnections)
        let roles = text(.with).split(separator: ",")
        self.delivers = roles.contains("delivery")
        self.schedules = roles.contains("scheduling")
        self.waitTimeoutSeconds = number(.waitTimeoutSeconds)
        self.masterKey = optional(.masterKey)
        self.masterKeyFile = optional(.masterKeyFile)
        self.masterKeyCommand = optional(.masterKeyCommand)
        self.sealsAtRest = text(.sealAtRest) == "true"
        self.allowsCoreDumps = text(.coreDumps) == "true"
        self.credentialDirectory = optional(.credentialDirectory) ?? "\(self.data)/credentials"
        self.clockSimulator = optional(.clockSimulator)
        self.logLevel = Logger.Level(rawValue: text(.logLevel)) ?? .info
        self.metricsAreUnauthenticated = text(.metricsUnauthenticated) == "true"
        self.console = optional(.console).map { $0 == "true" ? .all : .disabled } ?? .loopback
        self.endpoints = [
            .sandbox: Endpoint(
                host: text(.sandboxHost),
                port: number(.sandboxPort),
                authority: optional(.sandboxAuthority)
            ),
            .production: Endpoint(
                host: text(.productionHost),
                port: number(.productionPort),
                authority: optional(.productionAuthority)
            ),
        ]
        self.channelEndpoints = [
            .sandbox: Endpoint(
                host: text(.sandboxChannelHost),
                port: number(.sandboxChannelPort),
                authority: optional(.sandboxAuthority)
            ),
            .production: Endpoint(
                host: text(.productionChannelHost),
                port: number(.productionChannelPort),
                authority: optional(.productionAuthority)
            ),
        ]
        self.apnsTimeoutSeconds = number(.apnsTimeoutSeconds)
        self.leaseDurationSeconds = number(.leaseDurationSeconds)
        self.responseTimeoutSeconds = number(.responseTimeoutSeconds)
        self.chunkSize = number(.chunkSize)
        self.maxInFlight = number(.maxInFlight)
        self.bulkRateLimit = number(.bulkRateLimit) == 0 ? nil : number(.bulkRateLimit)
        self.schedulingLeaseDurationSeconds = number(.schedulingLeaseDurationSeconds)
        self.detectsTerminatedWorkers = text(.workLiveness) == "on"
        self.maxEnqueuedTargets = number(.maxEnqueuedTargets)
        self.rolloutPageSize = number(.rolloutPageSize)
        self.activityLimits = PushBudget.Limits(
            hourly: number(.hourlyBudget),
            frequentHourly: number(.frequentHourlyBudget)
        )
        self.notificationDays = number(.notificationDays)
        self.eventDays = number(.eventDays)
        self.auditDays = number(.auditDays)
        self.inactiveDeviceDays = number(.inactiveDeviceDays)
        self.invalidDeviceDays = number(.invalidDeviceDays)
        self.maxEventsPerApp = number(.maxEventsPerApp)
        self.postsToWebhooks = text(.webhooks) == "true"
        self.allowsPrivateNetworks = text(.privateNetworks) == "true"
        self.allowsInsecureWebhooks = text(.insecureWebhooks) == "true"
        self.webhookHours = number(.webhookHours)
        self.sns = SNSConfiguration()
        self.sns.isEnabled = text(.sns) == "true"
        self.sns.path = text(.snsPath)
        self.sns.account = text(.snsAccount)
        self.sns.region = optional(.snsRegion)
        self.sns.publicURL = optional(.snsURL)
        self.sns.ignoresSessionToken = text(.snsIgnoreSessionToken) == "true"
        self.sns.maximumPresignedSeconds = number(.snsMaximumPresignedSeconds)
        self.sns.limits = text(.snsExtendedLimits) == "true" ? .extended : .sns
        self.sources = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.source) })
        self.trustedProxies = try self.proxies(
            optional(.trustedProxies),
            sendProxyHeader: text(.proxyProtocol) == "true"
        )
        try self.checkSNS()
        try self.checkSNSURL()
        let proxyApplications = try optional(.proxyApps).map(self.proxyApplications)
        if optional(.proxyPort) != nil {
            var proxy = ProxyConfiguration(host: text(.proxyHost), port: number(.proxyPort))
            proxy.pullPort = optional(.proxyPullPort).flatMap { Int($0) }
            proxy.applications = proxyApplications
            self.proxy = proxy
            try self.checkProxyPorts(proxy)
        }
        self.tls = try self.tlsFiles(optional(.tlsCertificate), optional(.tlsKey), optional(.tlsClientCA))
        let keys: [ConfigurationKey] = [.masterKey, .masterKeyFile, .masterKeyCommand].filter { optional($0) != nil }
        if keys.count > 1 {
            let both = keys.prefix(2).map(self.name).joined(separator: " and ")
            throw CommandError(
                "bad_configuration",
                "Both \(both) are set, and they may disagree. Remove one of them."
            )
        }
    }

    private func checkSNS() throws {
        guard self.sns.path.hasPrefix("/"), !self.sns.path.contains(where: { "{}:*?#".contains($0) }) else {
            throw self.fault(in: .snsPath, "expected a path that begins with '/', got '\(self.sns.path)'")
        }
        guard SNSScope.isAccount(self.sns.account) else {
            throw self.fault(in: .snsAccount, "expected 12 digits, got '\(self.sns.account)'")
        }
        if let region = self.sns.region, !SNSScope.isRegion(region) {
            throw self.fault(in: .snsRegion, "expected a region such as ap-northeast-1, got '\(region)'")
        }
    }

    private func checkSNSURL() throws {
        guard let url = self.sns.publicURL else { return }
        guard WebhookURL(url) != nil, !url.contains("?") else {
            throw self.fault(in: .snsURL, "expected a URL without user, query and fragment, got '\(url)'")
        }
    }

    func fault(in key: ConfigurationKey, _ text: String) -> CommandError {
        CommandError("bad_configuration", "\(self.name(of: key)): \(text).")
    }

    /// A key and who set it, for messages: `port (flag --port)`.
    func name(of key: ConfigurationKey) -> String {
        "\(key.name) (\(self.sources[key] ?? "default"))"
    }
}

extension ServerConfiguration {
    /// How this server sends: the configured values, and the defaults for the rest.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration` when the file of a certificate authority cannot be read or
    ///   holds none.
    func deliveryConfiguration() throws -> DeliveryConfiguration {
        var configuration = DeliveryConfiguration(endpoints: try self.apnsEndpoints(self.endpoints))
        configuration.leaseDuration = .seconds(self.leaseDurationSeconds)
        configuration.sendDeadline = .seconds(self.responseTimeoutSeconds)
        configuration.chunkSize = self.chunkSize
        configuration.maxInFlight = self.maxInFlight
        configuration.bulkRateLimit = self.bulkRateLimit
        configuration.credentialDirectory = CredentialDirectory(self.credentialDirectory)
        return configuration
    }

    /// The configuration of connections to APNs: the configured timeout, and the defaults for the rest.
    var apnsClientConfiguration: APNsClientConfiguration {
        var configuration = APNsClientConfiguration()
        let timeout = Duration.seconds(self.apnsTimeoutSeconds)
        configuration.connectTimeout = timeout
        configuration.answerTimeout = timeout
        configuration.channelTimeout = timeout * 2
        configuration.pingTimeout = timeout / 2
        return configuration
    }

    /// Where broadcast channels are managed.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration`, as ``deliveryConfiguration()`` does.
    func channelDestinations() throws -> [APNsEnvironment: APNsEndpoint] {
        try self.apnsEndpoints(self.channelEndpoints)
    }

    private func apnsEndpoints(_ configured: [APNsEnvironment: Endpoint]) throws -> [APNsEnvironment: APNsEndpoint] {
        var endpoints: [APNsEnvironment: APNsEndpoint] = [:]
        for (environment, endpoint) in configured {
            let key: ConfigurationKey = environment == .sandbox ? .sandboxAuthority : .productionAuthority
            let trust = try endpoint.authority.map { try self.trust($0, key) } ?? .system
            endpoints[environment] = APNsEndpoint(host: endpoint.host, port: endpoint.port, trust: trust)
        }
        return endpoints
    }

    /// Trust in the authority of a file, which is read as it will be for a connection.
    private func trust(_ path: String, _ key: ConfigurationKey) throws -> TrustRoots {
        let rule = "\(self.name(of: key)): expected a PEM file with the certificate of an authority"
        let pem: [UInt8]
        do {
            pem = Array(try InputFile.bytes(path))
        } catch let failure as CommandError {
            throw CommandError("bad_configuration", "\(rule). \(failure.message)", cause: failure)
        }
        guard let found = try? NIOSSLCertificate.fromPEMBytes(pem), !found.isEmpty else {
            throw CommandError("bad_configuration", "\(rule), got \(path), which holds no certificate in PEM.")
        }
        return .certificateAuthority(pem: pem)
    }
}

extension ServerConfiguration {
    /// How this server posts to webhooks: the configured values, and the defaults for the rest.
    func webhookConfiguration() -> WebhookConfiguration {
        var configuration = WebhookConfiguration()
        configuration.allowsPrivateNetworks = self.allowsPrivateNetworks
        configuration.disableAfter = .seconds(self.webhookHours * 3600)
        return configuration
    }
}

extension ServerConfiguration {
    /// Creates the logger of a process with this configuration; first logs variables that look misspelt.
    func processLogger() -> Logger {
        var logger = Logger(
            label: "apus",
            factory: { RateLimitedLogHandler(StreamLogHandler.standardError(label: $0)) }
        )
        logger.logLevel = self.logLevel
        let unknown = ConfigurationSources.unknownVariables(in: ProcessInfo.processInfo.environment)
        if !unknown.isEmpty {
            let names = unknown.joined(separator: ", ")
            logger.warning("Ignored unknown environment variables", metadata: ["names": "\(names)"])
        }
        return logger
    }
}
