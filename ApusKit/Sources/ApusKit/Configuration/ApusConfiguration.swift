// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// The server of an app, its credentials, and how the kit connects to it.
public struct ApusConfiguration: Sendable {
    /// The base URL of the server, such as `https://push.example.com`.
    public var server: URL

    /// The app's bundle ID, which identifies the app on the server.
    public var app: String

    /// An API key with the scope `client`.
    ///
    /// It can only register devices and Live Activity tokens. Treat it as public.
    public var clientKey: String

    /// The APNs environment of the app's tokens.
    ///
    /// Default: the environment that the build is signed for. The first access reads it from the app's provisioning
    /// profile. The kit does so off the main thread.
    public var environment: PushEnvironment {
        get { self.chosenEnvironment ?? .ofThisBuild }
        set { self.chosenEnvironment = newValue }
    }

    private var chosenEnvironment: PushEnvironment?

    /// The directory of the kit's files: the device ID and pending uploads.
    ///
    /// Default: `Apus` in Application Support. The kit excludes it from backups, so that a device restored from a
    /// backup gets a new device ID.
    public var directory: URL

    /// Receives log entries, which contain no secrets.
    ///
    /// Default: the unified log, subsystem `apus`.
    public var log: @Sendable (ApusLogEntry) -> Void

    /// The transport that sends requests to the server.
    ///
    /// Default: `URLSession.shared`.
    public var transport: any UploadTransport

    /// The clock for time stamps and delays.
    ///
    /// Default: ``ApusClock/system``.
    public var clock: ApusClock

    /// Reads the current versions, locale and time zone.
    var surroundings: @Sendable () -> Installation.Surroundings = { Installation.Surroundings() }

    /// The center whose notifications about the app the kit observes.
    var notifications = NotificationCenter.default

    /// Creates a configuration with default values for all other properties.
    ///
    /// - Parameters:
    ///   - server: The base URL of the server; it can have a path.
    ///   - clientKey: An API key with the scope `client`.
    ///   - app: The bundle ID. Default: the bundle ID of the main bundle.
    public init(server: URL, clientKey: String, app: String? = nil) {
        self.server = server
        self.app = app ?? Bundle.main.bundleIdentifier ?? ""
        self.clientKey = clientKey
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        self.directory = (support ?? FileManager.default.temporaryDirectory).appendingPathComponent("Apus")
        self.log = ApusLogEntry.writeToSystemLog
        self.transport = URLSessionTransport()
        self.clock = .system
    }
}

/// A clock that tests can replace: the current time and a delay.
public struct ApusClock: Sendable {
    /// Returns the current time.
    public var now: @Sendable () -> Date

    /// Suspends the task for a duration in seconds; throws if the task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void

    /// Creates a clock from two closures.
    public init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The system clock.
    public static let system = ApusClock(
        now: { Date() },
        sleep: { try await Task.sleep(nanoseconds: Self.nanoseconds($0)) }
    )

    /// Converts seconds to nanoseconds: 0 for negative values and NaN, and at most a century.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        guard seconds > 0 else { return 0 }
        // This cannot trap, because a century has 3.2e18 nanoseconds and the guard excludes NaN.
        return UInt64(min(seconds, 3_155_760_000) * 1_000_000_000)
    }
}
