// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

/// The flags of everything that can be configured, and the file with the rest.
struct ConfigurationArguments: ParsableArguments {
    @Option(help: "A JSON file with values. Default: $APUS_CONFIG.")
    var config: String?

    @Option(help: .of(.host)) var host: String?
    @Option(help: .of(.port)) var port: String?
    @Option(help: .of(.tlsCertificate)) var tlsCertificate: String?
    @Option(help: .of(.tlsKey)) var tlsKey: String?
    @Option(help: .of(.tlsClientCA)) var tlsClientCa: String?
    @Flag(help: .of(.insecureHTTP)) var insecureHttp = false
    @Option(help: .of(.maxConnections)) var maxConnections: String?
    @Option(help: .of(.connectionsPerAddress)) var connectionsPerAddress: String?
    @Option(help: .of(.bodyMegabytes)) var bodyMegabytes: String?
    @Option(help: .of(.trustedProxies)) var trustedProxies: String?
    @Option(help: .of(.proxyProtocol)) var proxyProtocol: String?
    @Option(help: .of(.keyRequestsPerSecond)) var keyRequestsPerSecond: String?
    @Option(help: .of(.probesPort)) var probesPort: String?
    @Option(help: .of(.data)) var data: String?
    @Option(help: .of(.storeConnections)) var storeConnections: String?
    @Option(help: .of(.with)) var with: String?
    @Option(help: .of(.waitTimeoutSeconds)) var waitTimeoutSeconds: String?
    @Option(help: .of(.masterKeyFile)) var masterKeyFile: String?
    @Option(help: .of(.masterKeyCommand)) var masterKeyCommand: String?
    @Option(help: .of(.coreDumps)) var coreDumps: String?
    @Option(help: .of(.sealAtRest)) var sealAtRest: String?
    @Option(help: .of(.credentialDirectory)) var credentialDirectory: String?
    @Option(help: .of(.clockSimulator)) var clockSimulator: String?
    @Option(help: .of(.logLevel)) var logLevel: String?
    @Option(help: .of(.metricsUnauthenticated)) var metricsUnauthenticated: String?
    @Option(help: .of(.console)) var console: String?
    @Option(help: .of(.sandboxHost)) var apnsSandboxHost: String?
    @Option(help: .of(.sandboxPort)) var apnsSandboxPort: String?
    @Option(help: .of(.sandboxAuthority)) var apnsSandboxCa: String?
    @Option(help: .of(.sandboxChannelHost)) var apnsSandboxChannelHost: String?
    @Option(help: .of(.sandboxChannelPort)) var apnsSandboxChannelPort: String?
    @Option(help: .of(.productionHost)) var apnsProductionHost: String?
    @Option(help: .of(.productionPort)) var apnsProductionPort: String?
    @Option(help: .of(.productionAuthority)) var apnsProductionCa: String?
    @Option(help: .of(.productionChannelHost)) var apnsProductionChannelHost: String?
    @Option(help: .of(.productionChannelPort)) var apnsProductionChannelPort: String?
    @Option(help: .of(.apnsTimeoutSeconds)) var apnsTimeoutSeconds: String?
    @Option(help: .of(.leaseDurationSeconds)) var deliveryLeaseDurationSeconds: String?
    @Option(help: .of(.responseTimeoutSeconds)) var deliveryResponseTimeoutSeconds: String?
    @Option(help: .of(.chunkSize)) var deliveryChunkSize: String?
    @Option(help: .of(.maxInFlight)) var deliveryMaxInFlight: String?
    @Option(help: .of(.bulkRateLimit)) var deliveryBulkRateLimit: String?
    @Option(help: .of(.schedulingLeaseDurationSeconds)) var schedulingLeaseDurationSeconds: String?
    @Option(help: .of(.workLiveness)) var workLiveness: String?
    @Option(help: .of(.maxEnqueuedTargets)) var schedulingMaxEnqueuedTargets: String?
    @Option(help: .of(.rolloutPageSize)) var schedulingRolloutPageSize: String?
    @Option(help: .of(.hourlyBudget)) var activitiesHourlyBudget: String?
    @Option(help: .of(.frequentHourlyBudget)) var activitiesFrequentHourlyBudget: String?
    @Option(help: .of(.notificationDays)) var notificationsRetentionDays: String?
    @Option(help: .of(.eventDays)) var eventsRetentionDays: String?
    @Option(help: .of(.auditDays)) var auditRetentionDays: String?
    @Option(help: .of(.inactiveDeviceDays)) var devicesInactiveRetentionDays: String?
    @Option(help: .of(.invalidDeviceDays)) var devicesInvalidRetentionDays: String?
    @Option(help: .of(.maxEventsPerApp)) var eventsMaxPerApp: String?
    @Option(help: .of(.webhooks)) var webhooksEnabled: String?
    @Option(help: .of(.privateNetworks)) var webhooksAllowPrivateNetworks: String?
    @Option(help: .of(.insecureWebhooks)) var webhooksAllowHttp: String?
    @Option(help: .of(.webhookHours)) var webhooksDisableAfterHours: String?
    @Option(help: .of(.sns)) var snsEnabled: String?
    @Option(help: .of(.snsPath)) var snsPath: String?
    @Option(help: .of(.snsAccount)) var snsAccount: String?
    @Option(help: .of(.snsRegion)) var snsRegion: String?
    @Option(help: .of(.snsURL)) var snsUrl: String?
    @Option(help: .of(.snsIgnoreSessionToken)) var snsIgnoreSessionToken: String?
    @Option(help: .of(.snsMaximumPresignedSeconds)) var snsMaximumPresignedSeconds: String?
    @Option(help: .of(.snsExtendedLimits)) var snsExtendedLimits: String?
    @Option(help: .of(.proxyPort)) var proxyPort: String?
    @Option(help: .of(.proxyPullPort)) var proxyPullPort: String?
    @Option(help: .of(.proxyHost)) var proxyHost: String?
    @Option(help: .of(.proxyApps)) var proxyApps: String?

    /// The values of the command line; there is no flag for the master key, because other users could read it there.
    private var flags: [ConfigurationKey: String] {
        let values: [ConfigurationKey: String?] = [
            .host: self.host,
            .port: self.port,
            .tlsCertificate: self.tlsCertificate,
            .tlsKey: self.tlsKey,
            .tlsClientCA: self.tlsClientCa,
            .insecureHTTP: self.insecureHttp ? "true" : nil,
            .maxConnections: self.maxConnections,
            .probesPort: self.probesPort,
            .data: self.data,
            .storeConnections: self.storeConnections,
            .with: self.with,
            .waitTimeoutSeconds: self.waitTimeoutSeconds,
            .masterKeyFile: self.masterKeyFile,
            .masterKeyCommand: self.masterKeyCommand,
            .coreDumps: self.coreDumps,
            .sealAtRest: self.sealAtRest,
            .credentialDirectory: self.credentialDirectory,
            .clockSimulator: self.clockSimulator,
            .logLevel: self.logLevel,
            .metricsUnauthenticated: self.metricsUnauthenticated,
            .console: self.console,
            .connectionsPerAddress: self.connectionsPerAddress,
            .bodyMegabytes: self.bodyMegabytes,
            .trustedProxies: self.trustedProxies,
            .proxyProtocol: self.proxyProtocol,
            .keyRequestsPerSecond: self.keyRequestsPerSecond,
            .sandboxHost: self.apnsSandboxHost,
            .sandboxPort: self.apnsSandboxPort,
            .sandboxAuthority: self.apnsSandboxCa,
            .sandboxChannelHost: self.apnsSandboxChannelHost,
            .sandboxChannelPort: self.apnsSandboxChannelPort,
            .productionHost: self.apnsProductionHost,
            .productionPort: self.apnsProductionPort,
            .productionAuthority: self.apnsProductionCa,
            .productionChannelHost: self.apnsProductionChannelHost,
            .productionChannelPort: self.apnsProductionChannelPort,
            .apnsTimeoutSeconds: self.apnsTimeoutSeconds,
            .leaseDurationSeconds: self.deliveryLeaseDurationSeconds,
            .responseTimeoutSeconds: self.deliveryResponseTimeoutSeconds,
            .chunkSize: self.deliveryChunkSize,
            .maxInFlight: self.deliveryMaxInFlight,
            .bulkRateLimit: self.deliveryBulkRateLimit,
            .schedulingLeaseDurationSeconds: self.schedulingLeaseDurationSeconds,
            .workLiveness: self.workLiveness,
            .maxEnqueuedTargets: self.schedulingMaxEnqueuedTargets,
            .rolloutPageSize: self.schedulingRolloutPageSize,
            .hourlyBudget: self.activitiesHourlyBudget,
            .frequentHourlyBudget: self.activitiesFrequentHourlyBudget,
            .notificationDays: self.notificationsRetentionDays,
            .eventDays: self.eventsRetentionDays,
            .auditDays: self.auditRetentionDays,
            .inactiveDeviceDays: self.devicesInactiveRetentionDays,
            .invalidDeviceDays: self.devicesInvalidRetentionDays,
            .maxEventsPerApp: self.eventsMaxPerApp,
            .webhooks: self.webhooksEnabled,
            .privateNetworks: self.webhooksAllowPrivateNetworks,
            .insecureWebhooks: self.webhooksAllowHttp,
            .webhookHours: self.webhooksDisableAfterHours,
            .sns: self.snsEnabled,
            .snsPath: self.snsPath,
            .snsAccount: self.snsAccount,
            .snsRegion: self.snsRegion,
            .snsURL: self.snsUrl,
            .snsIgnoreSessionToken: self.snsIgnoreSessionToken,
            .snsMaximumPresignedSeconds: self.snsMaximumPresignedSeconds,
            .snsExtendedLimits: self.snsExtendedLimits,
            .proxyPort: self.proxyPort,
            .proxyPullPort: self.proxyPullPort,
            .proxyHost: self.proxyHost,
            .proxyApps: self.proxyApps,
        ]
        return values.compactMapValues(\.self)
    }

    /// The values of all keys from all sources.
    ///
    /// `note` gets a warning if other users can read a file with a secret.
    ///
    /// - Throws: ``CommandError`` when a source cannot be read or breaks a rule.
    func entries(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        note: (String) -> Void = Console.note
    ) throws -> [ConfigurationSources.Entry] {
        let named = environment["APUS_CONFIG"].map { ($0, "environment APUS_CONFIG") }
        let file = self.config.map { ($0, "flag --config") } ?? named
        do {
            let sources = try ConfigurationSources(flags: self.flags, environment: environment, file: file?.0)
            let entries = try sources.entries()
            if let path = file?.0, entries.contains(where: { $0.key.isSecret && $0.source == "file \(path)" }),
                let warning = FilePermissions.warning(about: path)
            {
                note(warning)
            }
            return entries
        } catch let failure as CommandError where failure.code == "unreadable_file" {
            throw CommandError(failure.code, "config (\(file?.1 ?? "")): \(failure.message)", cause: failure)
        }
    }
}

extension ArgumentHelp {
    /// Returns the purpose of a key, its default and its environment variable.
    fileprivate static func of(_ key: ConfigurationKey) -> ArgumentHelp {
        let purpose = key.purpose.prefix(1).uppercased() + key.purpose.dropFirst()
        let fallback = key.fallback.map { " Default: \($0)." } ?? ""
        return ArgumentHelp("\(purpose).\(fallback) [$\(key.variable)]")
    }
}
