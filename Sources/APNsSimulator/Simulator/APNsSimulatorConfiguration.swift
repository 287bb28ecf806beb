// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// How a simulator is set up.
public struct APNsSimulatorConfiguration: Sendable {
    /// The address that both ports are bound to.
    ///
    /// Default: 127.0.0.1.
    ///
    /// The server certificate names `localhost`, 127.0.0.1, ::1 and this host.
    public var host: String
    /// The port of the provider API; 0 picks a free one.
    ///
    /// Default: 0.
    public var port: Int
    /// The port of the control API; 0 picks a free one.
    ///
    /// Default: 0.
    public var controlPort: Int
    /// Valid `Host` values of control requests, in addition to loopback names and addresses and ``host``.
    ///
    /// Default: none. Requests with another `Host` are refused, because a web page may have sent them.
    public var controlHosts: [String] = []
    /// The directory with `ca.pem`, `demo-key.p8` and `demo-key.json`, which are reused by the next run.
    ///
    /// Default: `nil`, which generates new ones and stores them in memory only.
    public var directory: String?
    /// Which of Apple's two services the provider port plays.
    ///
    /// Default: sandbox.
    public var environment: APNsEnvironment
    /// How many streams a trusted connection may have open at once.
    ///
    /// Default: 1,000, as APNs was last seen to grant.
    public var maximumConcurrentStreams: UInt32
    /// How many streams a connection may have open before its first provider token was accepted.
    ///
    /// Default: 1.
    public var initialConcurrentStreams: UInt32
    /// How many notifications a virtual device keeps; older ones are counted only.
    ///
    /// Default: 1,000.
    public var retainedNotifications: Int
    /// How many notifications all virtual devices together keep; beyond, the oldest are counted only.
    ///
    /// Default: 4,000,000.
    public var retainedNotificationsInAll: Int
    /// Devices that exist by computation.
    ///
    /// Default: `nil`, none.
    public var population: PopulationConfiguration?
    /// The seed of device tokens and IDs: the same seed and the same calls give the same ones.
    ///
    /// Default: `nil`, a random seed for each run.
    public var seed: UInt64?
    /// How many deliveries may wait for one reader of the live feed before it misses the oldest.
    ///
    /// Default: 10,000.
    public var deliveryBuffer: Int
    /// The port of channel management: HTTP/2 over TLS; 0 picks a free one.
    ///
    /// Default: 0. Apple's are 2195 in the sandbox and 2196 in production.
    public var channelPort = 0
    /// The port of the legacy binary gateway; 0 picks a free one.
    ///
    /// Default: `nil`, none.
    public var gatewayPort: Int?
    /// The port of the legacy feedback service; 0 picks a free one.
    ///
    /// Default: `nil`, none.
    public var feedbackPort: Int?
    /// The port that devices with certificates connect to; 0 picks a free one.
    ///
    /// Default: `nil`, none.
    public var courierPort: Int?
    /// How long a TLS handshake of the courier port may take.
    ///
    /// Default: 10 seconds.
    public var courierHandshakeTimeout: Duration = .seconds(10)
    /// How long the control port keeps an idle or stalled connection open.
    ///
    /// Default: 75 seconds, longer than most clients reuse a connection.
    public var controlIdleTimeout: Duration = .seconds(75)
    /// How long everything that the provider port says is held back, in order: an injected round trip.
    ///
    /// Default: zero.
    public var roundTrip: Duration = .zero
    /// The faults that are injected at the start.
    ///
    /// Default: none.
    public var faults: [FaultScript] = []
    /// How much memory payloads and header fields of notifications may take, of all devices: beyond, the oldest that
    /// arrived are no longer kept.
    ///
    /// Unit: bytes. Default: 1 GiB.
    public var retainedBytesInAll = 1 << 30
    /// How many of the latest deliveries, and of the latest events, are stored for later readers of the feeds.
    ///
    /// Default: 0; then entries are created only while a reader is connected, which saves time.
    public var feedHistory = 0
    /// Settings for behavior that Apple does not document.
    public var switches: APNsSimulatorOptions
    /// Where the time is taken from.
    ///
    /// Default: the system's clock.
    public var clock: SimulatorClock

    /// A set-up with the documented defaults.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        controlPort: Int = 0,
        directory: String? = nil,
        environment: APNsEnvironment = .sandbox,
        maximumConcurrentStreams: UInt32 = 1000,
        initialConcurrentStreams: UInt32 = 1,
        retainedNotifications: Int = 1000,
        retainedNotificationsInAll: Int = 4_000_000,
        population: PopulationConfiguration? = nil,
        seed: UInt64? = nil,
        deliveryBuffer: Int = 10_000,
        switches: APNsSimulatorOptions = APNsSimulatorOptions(),
        clock: SimulatorClock = .system
    ) {
        self.host = host
        self.port = port
        self.controlPort = controlPort
        self.directory = directory
        self.environment = environment
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.initialConcurrentStreams = initialConcurrentStreams
        self.retainedNotifications = retainedNotifications
        self.retainedNotificationsInAll = retainedNotificationsInAll
        self.population = population
        self.seed = seed
        self.deliveryBuffer = deliveryBuffer
        self.switches = switches
        self.clock = clock
    }
}
