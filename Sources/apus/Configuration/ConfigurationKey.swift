// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One thing that can be configured: its name in every source, its kind, its default and what it is for.
struct ConfigurationKey: Hashable, Sendable {
    /// What values are allowed.
    enum Kind: Hashable, Sendable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
        case boolean
        case url(schemes: [String])
        /// Any number of these, divided by commas, or `none`.
        case list([String])
    }

    /// The dotted name: a path in the file, `APUS_` and upper case in the environment, `--` and hyphens as a flag.
    let name: String

    let kind: Kind

    /// The value where no source has one; `nil` means that it is optional.
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

    static let host = Self("host", .text, fallback: "127.0.0.1", "the address that the API listens on")
    static let port = Self("port", .integer(0...65_535), fallback: "8080", "the API's port; 0 takes a free one")

    static let connections = Self(
        "connections",
        .integer(1...1_000_000),
        fallback: "10000",
        "how many connections to the API may be open at once; others wait until one is closed. Fewer where the limit of open "
            + "files leaves no room for them"
    )

    static let connectionsPerAddress = Self(
        "connectionsPerAddress",
        .integer(1...1_000_000),
        fallback: nil,
        "how many of these one address may have; loopback addresses have no limit. Raise it where a proxy on another machine "
            + "stands before the API; default: half of connections"
    )

    static let bodyMegabytes = Self(
        "bodyMegabytes",
        .integer(64...1_000_000),
        fallback: "256",
        "how much memory the bodies of requests may take up together, in MiB; a request that finds no room is answered 503"
    )

    static let probesPort = Self(
        "probes.port",
        .integer(0...65_535),
        fallback: nil,
        "where apus deliver and apus schedule serve /healthz, /readyz and /metrics, on the address of host; default: nowhere"
    )

    static let data = Self("data", .text, fallback: "apus-data", "the directory of the store and the master key")

    static let storeURL = Self(
        "store.url",
        .url(schemes: ["postgres", "postgresql"]),
        fallback: nil,
        isSecret: true,
        "the PostgreSQL database that is the store, as postgres://user:password@host/database; default: a file in the "
            + "data directory"
    )

    static let storeConnections = Self(
        "store.connections",
        .integer(1...100),
        fallback: "8",
        "how many connections to the PostgreSQL database this process keeps, beside one that waits for word of changes"
    )

    static let with = Self(
        "with",
        .list(["delivery", "scheduling"]),
        fallback: "delivery,scheduling",
        "what runs beside the API in this process: delivery, scheduling, both with a comma between, or none"
    )

    static let waitSeconds = Self(
        "waitSeconds",
        .integer(1...60),
        fallback: "30",
        "how long a request with wait=true waits for the outcomes before it is answered without them"
    )

    static let masterKey = Self(
        "masterKey",
        .text,
        fallback: nil,
        isSecret: true,
        "seals credentials in the store: Base64 of 32 bytes, or several of these with white space between; the first "
            + "seals"
    )

    static let masterKeyFile = Self(
        "masterKeyFile",
        .text,
        fallback: nil,
        "a file with the master key; default: master.key in the data directory, made when it is missing beside a store in a "
            + "file"
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
        "the control API of a simulator by whose time of day this process goes, for tests that move it; default: the "
            + "system's"
    )

    static let logLevel = Self(
        "logLevel",
        .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        fallback: "info",
        "how much is logged to standard error"
    )

    static let metricsPublic = Self(
        "metrics.public",
        .boolean,
        fallback: "false",
        "whether /metrics is served without a key; otherwise it takes a key with scope read that is bound to no app"
    )

    static let sandboxHost = Self(
        "apns.sandbox.host",
        .text,
        fallback: "api.sandbox.push.apple.com",
        "where sandbox pushes go; a simulator's host in tests"
    )

    static let sandboxPort = Self(
        "apns.sandbox.port",
        .integer(1...65_535),
        fallback: "443",
        "its port: 443, 2197 or a simulator's"
    )

    static let sandboxAuthority = Self(
        "apns.sandbox.ca",
        .text,
        fallback: nil,
        "a PEM file with the only certificate authority to trust there; default: the system's"
    )

    static let sandboxChannelHost = Self(
        "apns.sandbox.channelHost",
        .text,
        fallback: "api-manage-broadcast.sandbox.push.apple.com",
        "where broadcast channels of the sandbox are managed; a simulator's host in tests"
    )

    static let sandboxChannelPort = Self(
        "apns.sandbox.channelPort",
        .integer(1...65_535),
        fallback: "2195",
        "its port: 2195 or a simulator's"
    )

    static let productionHost = Self(
        "apns.production.host",
        .text,
        fallback: "api.push.apple.com",
        "where production pushes go; a simulator's host in tests"
    )

    static let productionPort = Self(
        "apns.production.port",
        .integer(1...65_535),
        fallback: "443",
        "its port: 443, 2197 or a simulator's"
    )

    static let productionAuthority = Self(
        "apns.production.ca",
        .text,
        fallback: nil,
        "a PEM file with the only certificate authority to trust there; default: the system's"
    )

    static let productionChannelHost = Self(
        "apns.production.channelHost",
        .text,
        fallback: "api-manage-broadcast.push.apple.com",
        "where broadcast channels of production are managed; a simulator's host in tests"
    )

    static let productionChannelPort = Self(
        "apns.production.channelPort",
        .integer(1...65_535),
        fallback: "2196",
        "its port: 2196 or a simulator's"
    )

    static let apnsTimeoutSeconds = Self(
        "apns.timeoutSeconds",
        .integer(1...3600),
        fallback: "10",
        "timeout of each step of connecting to APNs, and of a response before the connection is probed"
    )

    static let leaseSeconds = Self(
        "delivery.leaseSeconds",
        .integer(1...3600),
        fallback: "60",
        "after how long without a sign of life another process takes over what one was sending"
    )

    static let answerSeconds = Self(
        "delivery.answerSeconds",
        .integer(1...3600),
        fallback: "60",
        "how long APNs may take to answer, or to be reached, before what has no answer is tried again; "
            + "the first attempt of a small urgent notification waits a third of delivery.leaseSeconds at most"
    )

    static let plannerLeaseSeconds = Self(
        "scheduling.leaseSeconds",
        .integer(1...3600),
        fallback: "15",
        "after how long without a sign of life another process takes over what one was planning"
    )

    static let workLiveness = Self(
        "work.liveness",
        .choice(["on", "off"]),
        fallback: "on",
        "whether processes detect within about 2 seconds that another one has terminated, and continue its work; off: after "
            + "its leases"
    )

    static let lookahead = Self(
        "scheduling.lookahead",
        .integer(1000...1_000_000),
        fallback: "60000",
        "how many devices of a campaign may be planned and have no outcome: removing a device takes hold of all that is "
            + "behind that"
    )

    static let rolloutShard = Self(
        "scheduling.rolloutShard",
        .integer(1...10_000),
        fallback: "2000",
        "how many devices of an audience on which a Live Activity is started are written at once"
    )

    static let sliceTargets = Self(
        "delivery.sliceTargets",
        .integer(1...10_000),
        fallback: "1000",
        "how many targets of a batch are sent and settled together"
    )

    static let window = Self(
        "delivery.window",
        .integer(1...1_000_000),
        fallback: "8000",
        "how many notifications may be sent and not settled yet: the most that a crash sends twice"
    )

    static let bulkBesideUrgent = Self(
        "delivery.bulkBesideUrgent",
        .integer(0...10_000_000),
        fallback: "280000",
        "how many notifications of campaigns and other bulk work this process sends in a second while it has urgent ones; 0 "
            + "holds nothing back"
    )

    static let hourlyBudget = Self(
        "activities.hourlyBudget",
        .integer(1...65_535),
        fallback: "60",
        "how many pushes of priority 10 a phone may be sent of a Live Activity within an hour; Apple publishes no number"
    )

    static let frequentHourlyBudget = Self(
        "activities.frequentHourlyBudget",
        .integer(1...65_535),
        fallback: "3600",
        "the same for a phone on which the person lets the app have frequent updates"
    )

    static let notificationDays = Self(
        "notifications.retentionDays",
        .integer(0...3650),
        fallback: "30",
        "how long notifications, campaigns and screenings are kept once every target has its outcome, and Live Activities "
            + "once they are over; 0 keeps them for ever"
    )

    static let eventDays = Self(
        "events.retentionDays",
        .integer(1...3650),
        fallback: "7",
        "how long events are kept, for those who read the feed and for webhooks"
    )

    static let eventMaximum = Self(
        "events.maximum",
        .integer(1000...100_000_000),
        fallback: "1000000",
        "how many events of one app are kept at most"
    )

    static let webhooks = Self(
        "webhooks.enabled",
        .boolean,
        fallback: "true",
        "whether this process posts events to webhooks"
    )

    static let privateNetworks = Self(
        "webhooks.allowPrivateNetworks",
        .boolean,
        fallback: "false",
        "whether webhooks and URLs that are subscribed to topics may lead to private networks and to this machine"
    )

    static let insecureWebhooks = Self(
        "webhooks.allowHttp",
        .boolean,
        fallback: "false",
        "whether webhooks may have http URLs"
    )

    static let webhookHours = Self(
        "webhooks.disableAfterHours",
        .integer(1...8760),
        fallback: "72",
        "after how long without a success a webhook is disabled"
    )

    /// All keys, in the order in which they are printed.
    static let all: [ConfigurationKey] = [
        host, port, connections, connectionsPerAddress, bodyMegabytes, probesPort, data, storeURL, storeConnections,
        with, waitSeconds, masterKey, masterKeyFile, credentialDirectory, clockSimulator, logLevel,
        metricsPublic, sandboxHost, sandboxPort, sandboxAuthority, sandboxChannelHost, sandboxChannelPort,
        productionHost,
        productionPort, productionAuthority, productionChannelHost, productionChannelPort, apnsTimeoutSeconds,
        leaseSeconds, answerSeconds,
        sliceTargets, window, bulkBesideUrgent, plannerLeaseSeconds, workLiveness, lookahead, rolloutShard,
        hourlyBudget,
        frequentHourlyBudget,
        notificationDays, eventDays,
        eventMaximum, webhooks, privateNetworks, insecureWebhooks, webhookHours, sns, snsPath, snsAccount,
        snsRegion, snsURL, snsLiftsLimits,
    ]
}
