// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A configuration key: its name in every source, its kind, its default and its purpose.
struct ConfigurationKey: Hashable, Sendable {
    /// The valid values.
    enum Kind: Hashable, Sendable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
        case boolean
        case url(schemes: [String])
        /// Any number of these, separated by commas, or `none`.
        case list([String])
    }

    /// The dotted name: a path in the file, `APUS_` and upper case in the environment, `--` and hyphens as a flag.
    let name: String

    let kind: Kind

    /// The value if no source has one; `nil` means that it is optional.
    let fallback: String?

    /// Whether its value is never shown.
    let isSecret: Bool

    let purpose: String

    init(_ name: String, _ kind: Kind, fallback: String?, isSecret: Bool = false, _ purpose: String) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.isSecret = isSecret
        self.purpose = purpose
    }

    static let host = Self("host", .text, fallback: "127.0.0.1", "address that the API listens on")
    static let port = Self("port", .integer(0...65_535), fallback: "8080", "port of the API; 0 selects a free port")

    static let maxConnections = Self(
        "maxConnections",
        .integer(1...1_000_000),
        fallback: "10000",
        "maximum number of open connections to the API; others wait until one is closed. Fewer if the limit of open "
            + "files requires it"
    )

    static let connectionsPerAddress = Self(
        "connectionsPerAddress",
        .integer(1...1_000_000),
        fallback: nil,
        "maximum number of open connections from one address; loopback addresses and trustedProxies have no limit; "
            + "default: half of maxConnections"
    )

    static let bodyMegabytes = Self(
        "bodyMegabytes",
        .integer(64...1_000_000),
        fallback: "256",
        "maximum memory for the bodies of all requests, in MiB; a request without memory receives 503"
    )

    static let probesPort = Self(
        "probes.port",
        .integer(0...65_535),
        fallback: nil,
        "port on which apus deliver and apus schedule serve /healthz, /readyz and /metrics, at the address of host; "
            + "default: not served"
    )

    static let data = Self("data", .text, fallback: "apus-data", "directory of the store and the master key")

    static let storeURL = Self(
        "store.url",
        .url(schemes: ["postgres", "postgresql"]),
        fallback: nil,
        isSecret: true,
        "PostgreSQL database of the store, as postgres://user:password@host/database; default: a file in the data "
            + "directory"
    )

    static let storeConnections = Self(
        "store.connections",
        .integer(1...100),
        fallback: "8",
        "number of connections of this process to PostgreSQL, in addition to one that listens for changes"
    )

    static let with = Self(
        "with",
        .list(["delivery", "scheduling"]),
        fallback: "delivery,scheduling",
        "services that run in this process in addition to the API: delivery, scheduling, both separated by a comma, or "
            + "none"
    )

    static let waitTimeoutSeconds = Self(
        "waitTimeoutSeconds",
        .integer(1...60),
        fallback: "30",
        "maximum time that a request with wait=true waits for the outcomes; then the server responds without them"
    )

    static let masterKey = Self(
        "masterKey",
        .text,
        fallback: nil,
        isSecret: true,
        "master key that seals credentials in the store: 32 bytes in Base64, or several of these separated by white "
            + "space; the first one seals"
    )

    static let masterKeyFile = Self(
        "masterKeyFile",
        .text,
        fallback: nil,
        "file with the master key; default: the systemd credential master.key if there is one, otherwise master.key in "
            + "the data directory, created if it is missing and the store is a file"
    )

    static let credentialDirectory = Self(
        "credentialDirectory",
        .text,
        fallback: nil,
        "only directory that credentials in files are read from; default: credentials in the data directory"
    )

    static let clockSimulator = Self(
        "clock.simulator",
        .url(schemes: ["http"]),
        fallback: nil,
        "control API of a simulator whose clock this process uses, for tests that change the time; default: the clock "
            + "of the system"
    )

    static let logLevel = Self(
        "logLevel",
        .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        fallback: "info",
        "minimum level of the log on standard error"
    )

    static let metricsUnauthenticated = Self(
        "metrics.unauthenticated",
        .boolean,
        fallback: "false",
        "serve /metrics without a key; otherwise it needs a key with the scope read that is not bound to an app"
    )

    static let console = Self(
        "console",
        .boolean,
        fallback: nil,
        "true: serve the console at /console to all browsers, over TLS; false: do not serve it. Default: "
            + "only to browsers that open it under a loopback address, without a proxy"
    )

    static let sandboxHost = Self(
        "apns.sandbox.host",
        .text,
        fallback: "api.sandbox.push.apple.com",
        "host for sandbox pushes; in tests that of a simulator"
    )

    static let sandboxPort = Self(
        "apns.sandbox.port",
        .integer(1...65_535),
        fallback: "443",
        "port of that host: 443, 2197 or that of a simulator"
    )

    static let sandboxAuthority = Self(
        "apns.sandbox.ca",
        .text,
        fallback: nil,
        "PEM file with the only certificate authority to trust in this environment; default: those of the system"
    )

    static let sandboxChannelHost = Self(
        "apns.sandbox.channelHost",
        .text,
        fallback: "api-manage-broadcast.sandbox.push.apple.com",
        "host that manages broadcast channels of the sandbox; in tests that of a simulator"
    )

    static let sandboxChannelPort = Self(
        "apns.sandbox.channelPort",
        .integer(1...65_535),
        fallback: "2195",
        "port of that host: 2195 or that of a simulator"
    )

    static let productionHost = Self(
        "apns.production.host",
        .text,
        fallback: "api.push.apple.com",
        "host for production pushes; in tests that of a simulator"
    )

    static let productionPort = Self(
        "apns.production.port",
        .integer(1...65_535),
        fallback: "443",
        "port of that host: 443, 2197 or that of a simulator"
    )

    static let productionAuthority = Self(
        "apns.production.ca",
        .text,
        fallback: nil,
        "PEM file with the only certificate authority to trust in this environment; default: those of the system"
    )

    static let productionChannelHost = Self(
        "apns.production.channelHost",
        .text,
        fallback: "api-manage-broadcast.push.apple.com",
        "host that manages broadcast channels of production; in tests that of a simulator"
    )

    static let productionChannelPort = Self(
        "apns.production.channelPort",
        .integer(1...65_535),
        fallback: "2196",
        "port of that host: 2196 or that of a simulator"
    )

    static let apnsTimeoutSeconds = Self(
        "apns.timeoutSeconds",
        .integer(1...3600),
        fallback: "10",
        "timeout of each step of connecting to APNs, and of a response before the connection is probed"
    )

    static let leaseDurationSeconds = Self(
        "delivery.leaseDurationSeconds",
        .integer(1...3600),
        fallback: "60",
        "lease duration; when it expires, another process claims the batches of a process that crashed"
    )

    static let responseTimeoutSeconds = Self(
        "delivery.responseTimeoutSeconds",
        .integer(1...3600),
        fallback: "60",
        "timeout for a response of APNs, or for a connection to it; then targets without a response are retried. The "
            + "first attempt of a small urgent notification waits at most a third of delivery.leaseDurationSeconds"
    )

    static let schedulingLeaseDurationSeconds = Self(
        "scheduling.leaseDurationSeconds",
        .integer(1...3600),
        fallback: "15",
        "lease duration of campaigns, rollouts and job runs; when it expires, another process claims those of a "
            + "process that crashed"
    )

    static let workLiveness = Self(
        "work.liveness",
        .choice(["on", "off"]),
        fallback: "on",
        "on: processes detect within about 2 seconds that another one has terminated, and continue its work. off: they "
            + "continue it when its leases expire"
    )

    static let maxEnqueuedTargets = Self(
        "scheduling.maxEnqueuedTargets",
        .integer(1000...1_000_000),
        fallback: "60000",
        "maximum number of enqueued devices of a campaign without an outcome; removing a device affects later ones"
    )

    static let rolloutPageSize = Self(
        "scheduling.rolloutPageSize",
        .integer(1...10_000),
        fallback: "2000",
        "maximum number of devices per transaction when a Live Activity is started on an audience"
    )

    static let chunkSize = Self(
        "delivery.chunkSize",
        .integer(1...10_000),
        fallback: "1000",
        "maximum number of targets of a batch that are sent and settled together"
    )

    static let maxInFlight = Self(
        "delivery.maxInFlight",
        .integer(1...1_000_000),
        fallback: "8000",
        "maximum number of notifications in flight; a crash sends at most this many twice"
    )

    static let bulkRateLimit = Self(
        "delivery.bulkRateLimit",
        .integer(0...10_000_000),
        fallback: "280000",
        "maximum number of notifications of campaigns and other bulk work that this process sends per second while it "
            + "has urgent ones; 0 means no limit"
    )

    static let hourlyBudget = Self(
        "activities.hourlyBudget",
        .integer(1...65_535),
        fallback: "60",
        "maximum priority-10 pushes per device and activity in one hour; Apple publishes no number"
    )

    static let frequentHourlyBudget = Self(
        "activities.frequentHourlyBudget",
        .integer(1...65_535),
        fallback: "3600",
        "maximum priority-10 pushes per device and activity in one hour if the user allows frequent updates"
    )

    static let maxEventsPerApp = Self(
        "events.maxPerApp",
        .integer(1000...100_000_000),
        fallback: "1000000",
        "maximum number of stored events per app"
    )

    static let webhooks = Self(
        "webhooks.enabled",
        .boolean,
        fallback: "true",
        "post events to webhooks from this process"
    )

    static let privateNetworks = Self(
        "webhooks.allowPrivateNetworks",
        .boolean,
        fallback: "false",
        "allow webhooks and HTTP subscriptions of topics on private networks and on this machine"
    )

    static let insecureWebhooks = Self(
        "webhooks.allowHTTP",
        .boolean,
        fallback: "false",
        "allow webhooks with http URLs"
    )

    static let webhookHours = Self(
        "webhooks.disableAfterHours",
        .integer(1...8760),
        fallback: "72",
        "hours of consecutive failures after which a webhook is disabled"
    )

    /// All keys, in the order in which they are printed.
    static let all: [ConfigurationKey] = [
        host, port, tlsCertificate, tlsKey, tlsClientCA, insecureHTTP, maxConnections, connectionsPerAddress,
        bodyMegabytes, trustedProxies, proxyProtocol, keyRequestsPerSecond, probesPort, data, storeURL,
        storeConnections, with, waitTimeoutSeconds, masterKey, masterKeyFile, masterKeyCommand, sealAtRest,
        credentialDirectory, coreDumps, clockSimulator, logLevel,
        metricsUnauthenticated, console, sandboxHost, sandboxPort, sandboxAuthority, sandboxChannelHost,
        sandboxChannelPort, productionHost,
        productionPort, productionAuthority, productionChannelHost, productionChannelPort, apnsTimeoutSeconds,
        leaseDurationSeconds, responseTimeoutSeconds,
        chunkSize, maxInFlight, bulkRateLimit, schedulingLeaseDurationSeconds, workLiveness, maxEnqueuedTargets,
        rolloutPageSize,
        hourlyBudget,
        frequentHourlyBudget,
        notificationDays, eventDays, auditDays, inactiveDeviceDays, invalidDeviceDays,
        maxEventsPerApp, webhooks, privateNetworks, insecureWebhooks, webhookHours, sns, snsPath, snsAccount,
        snsRegion, snsURL, snsIgnoreSessionToken, snsMaximumPresignedSeconds, snsExtendedLimits, proxyPort,
        proxyPullPort, proxyHost, proxyApps,
    ]
}
