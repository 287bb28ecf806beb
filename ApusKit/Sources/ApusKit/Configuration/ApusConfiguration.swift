// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// How an app reaches its server.
public struct ApusConfiguration: Sendable {
    /// Where the server is: `https://push.example.com`.
    public var server: URL

    /// The app's bundle identifier, under which the server knows it.
    public var app: String

    /// A key of the scope `client`.
    ///
    /// It can register its own device and tell tokens, and nothing else; treat it as public.
    public var clientKey: String

    /// The service of Apple's to which the app's tokens belong.
    ///
    /// Default: what the build is signed for. That is read from the app's profile when it is first asked for, which the kit
    /// does on no thread that an app waits for.
    public var environment: PushEnvironment {
        get { self.chosenEnvironment ?? .ofThisBuild }
        set { self.chosenEnvironment = newValue }
    }

    private var chosenEnvironment: PushEnvironment?

    /// Where the kit keeps the installation's id and what is still to be uploaded.
    ///
    /// Default: `Apus` in Application Support. It is left out of backups, so that a phone that is restored from one is an
    /// installation of its own.
    public var directory: URL

    /// Told what happens; nothing in it is secret.
    ///
    /// Default: the unified log, subsystem `apus`.
    public var log: @Sendable (ApusLogEntry) -> Void

    /// Sends requests.
    ///
    /// Default: `URLSession.shared`.
    public var transport: any UploadTransport

    /// The time, and waiting.
    ///
    /// Default: the system's.
    public var clock: ApusClock

    /// What the system says of the app and the phone.
    var surroundings: @Sendable () -> Installation.Surroundings = { Installation.Surroundings() }

    /// Where the system says what happens to the app.
    var notifications = NotificationCenter.default

    /// How an app reaches its server.
    ///
    /// - Parameters:
    ///   - server: the server's address, with a path where it has one.
    ///   - clientKey: a key of the scope `client`.
    ///   - app: the bundle identifier; the main bundle's unless given.
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

/// The time, and waiting.
public struct ApusClock: Sendable {
    /// The time of day.
    public var now: @Sendable () -> Date

    /// Waits so many seconds; throws when the task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void

    /// A clock of one's own.
    public init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The system's.
    public static let system = ApusClock(
        now: { Date() },
        sleep: { try await Task.sleep(nanoseconds: Self.nanoseconds($0)) }
    )

    /// So many seconds in nanoseconds: 0 for what is no time to wait, and a century at most.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        guard seconds > 0 else { return 0 }
        // Cannot trap: a century has 3.2e18 nanoseconds, and the guard refuses NaN.
        return UInt64(min(seconds, 3_155_760_000) * 1_000_000_000)
    }
}
