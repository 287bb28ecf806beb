// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation

/// The complete demo, from the empty directory to the report, with output of each step.
struct DemoRun {
    private static let installations = ["hanako-iphone", "taro-iphone", "studio-ipad"]
    let stage: LocalTestEnvironment
    let scheduler: DemoScheduler
    let narrator: DemoPrinter
    private let clock = ContinuousClock()
    private(set) var phones: [DemoDevice] = []
    private(set) var report = DemoReport()

    /// Sends to three devices, removes the app from one, sends again, and compares; then runs the Live Activities.
    ///
    /// - Returns: the Live Activities, for further commands.
    /// - Throws: ``CommandError`` if one of the processes does not respond as expected.
    mutating func run(since start: ContinuousClock.Instant) async throws -> DemoActivities {
        self.narrator.introduce(self.stage)
        try await self.createApp()
        try await self.bootPhones()
        try await self.push(absent: [], title: "First push")

        let gone = self.phones[self.phones.count - 1]
        try await self.stage.control.uninstall(DemoNotification.app, from: gone.device)
        self.narrator.tellUninstall(gone)
        try await self.push(absent: [gone], title: "Second push")
        try await self.checkPruning(expected: [gone])

        var activities = try await DemoActivities(stage: stage, scheduler: scheduler, narrator: narrator)
        try await activities.run(&self.report)

        self.report.seconds = Self.rounded((self.clock.now - start) / .seconds(1))
        self.narrator.conclude(self.report)
        return activities
    }

    private func createApp() async throws {
        try await self.stage.createApp(DemoNotification.app, name: "WatchMe")
        self.narrator.tellApp(self.stage.simulator)
    }

    private mutating func bootPhones() async throws {
        struct Registration: Encodable {
            let token: String
            let environment = "sandbox"
            let platform = "ios"
        }
        for installation in Self.installations {
            let device = try await self.stage.control.createDevice(environment: "sandbox", app: DemoNotification.app)
            let token = device.tokens?[DemoNotification.app] ?? ""
            let path = "\(Self.appPath)/devices/\(installation.asPathSegment)"
            _ = try await self.stage.api.call(.put, path, sending: Registration(token: token))
            self.phones.append(DemoDevice(installation: installation, device: device.id, token: token))
        }
        self.narrator.tellPhones(self.phones)
    }

    /// Sends to all devices through the API; those with the app must have one more notification afterwards.
    private mutating func push(absent: [DemoDevice], title: String) async throws {
        let before = try await self.holdings()
        let body =
            Data("{\"payload\":\(DemoNotification.payload),\"targets\":".utf8)
            + (try JSON.encoder.encode(["devices": self.phones.map(\.installation)])) + Data("}".utf8)
        let start = self.clock.now
        let path = "\(Self.appPath)/notifications?wait=true"
        let answer = try await self.stage.api.call(.post, path, body: body).decoded(as: NotificationResponse.self)
        let milliseconds = Self.rounded((self.clock.now - start) / .milliseconds(1))
        let after = try await self.holdings()

        self.report.pushMilliseconds.append(milliseconds)
        let arrivals = zip(self.phones, zip(before, after)).map { phone, held in
            DemoReport.Arrival(
                phone: phone.installation,
                hasApp: !absent.contains { $0.device == phone.device },
                all: held.1.all - held.0.all,
                matching: held.1.matching - held.0.matching
            )
        }
        self.report.add(push: title, arrivals)
        self.narrator.tellPush(title, path: path, milliseconds: milliseconds, answer)
        for phone in self.phones {
            let outcome = answer.outcomes?.first { $0.device == phone.installation }
            let arrived = try await self.stage.control.device(phone.device).notifications?
                .last { $0.apnsID == outcome?.apnsID }
            self.narrator.tellArrival(phone, outcome, arrived, inFull: absent.isEmpty)
        }
    }

    /// Returns the number of notifications on each device, and how many of them are equal to the sent ones.
    private func holdings() async throws -> [(all: Int, matching: Int)] {
        var holdings: [(all: Int, matching: Int)] = []
        for phone in self.phones {
            let held = try await self.stage.control.device(phone.device).notifications ?? []
            let matching = held.count { received in
                received.bundleID == DemoNotification.app && received.payload == DemoNotification.expected
            }
            holdings.append((held.count, matching))
        }
        return holdings
    }

    private mutating func checkPruning(expected: [DemoDevice]) async throws {
        for phone in self.phones {
            let path = "\(Self.appPath)/devices/\(phone.installation.asPathSegment)"
            var device = try await self.stage.api.call(.get, path).decoded(as: DeviceResponse.self)
            let isGone = expected.contains { $0.device == phone.device }
            // The response to the push can precede the commit that marks the device: docs/decisions/0007.
            let deadline = self.clock.now + .seconds(5)
            while isGone, device.status.state != "invalid", self.clock.now < deadline {
                try await Task.sleep(for: .milliseconds(10))
                device = try await self.stage.api.call(.get, path).decoded(as: DeviceResponse.self)
            }
            self.report.add(
                phone: phone.installation,
                isInvalid: device.status.state == "invalid",
                isGone: isGone
            )
            self.narrator.tellStatus(device)
        }
    }

    private static let appPath = "/v1/apps/\(DemoNotification.app)"

    private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}

/// A virtual device of the demo and the name under which the server knows its app.
struct DemoDevice: Sendable {
    /// The installation, chosen by the app.
    let installation: String

    /// The device in the simulator.
    let device: String

    let token: String
}

/// The notification of the demo: an analysis is ready, and the app reloads its dashboard.
enum DemoNotification {
    static let app = "com.example.watchme"

    /// The payload, byte for byte as it is sent.
    static let payload = """
        {"aps":{"alert":{"title":"データ更新完了","body":"新しい分析結果が利用可能です"},"sound":"default","badge":1},\
        "device_id":"1cf67321-f1aa-4c51-b642-cbd7837c45d5","date":"2025-10-13","action":"refresh_dashboard"}
        """

    /// The notification that a device must have afterwards.
    static let expected = SimulatorClient.Payload(
        aps: .init(
            alert: .init(title: "データ更新完了", body: "新しい分析結果が利用可能です"),
            sound: "default",
            badge: 1
        ),
        deviceID: "1cf67321-f1aa-4c51-b642-cbd7837c45d5",
        date: "2025-10-13",
        action: "refresh_dashboard"
    )
}
