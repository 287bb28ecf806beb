// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import Foundation
import SwiftUI

@main
struct RideApp: App {
    @UIApplicationDelegateAdaptor(RideDelegate.self) var delegate

    var body: some Scene {
        WindowGroup { ContentView(rides: self.delegate.rides) }
    }
}

/// Registers the device and the update token of the ride, so that the server can update it while the app is suspended.
final class RideDelegate: ApusAppDelegate {
    let rides = ActivityCoordinator<RidingAttributes>(limit: .one) { $0.ride }

    override func configure() {
        Apus.shared.start(.ofRide)
        Task { [rides] in await rides.run() }
    }
}

extension ApusConfiguration {
    /// The server and the client key from `Info.plist`; on a virtual device from the environment.
    static var ofRide: ApusConfiguration {
        let environment = ProcessInfo.processInfo.environment
        func setting(_ key: String, _ variable: String) -> String {
            environment[variable] ?? Bundle.main.object(forInfoDictionaryKey: key) as? String ?? ""
        }
        var configuration = ApusConfiguration(
            server: URL(string: setting("ApusServer", "APUS_STAGE_SERVER")) ?? URL(fileURLWithPath: "/"),
            clientKey: setting("ApusClientKey", "APUS_STAGE_CLIENT_KEY"),
            app: environment["APUS_DEVICE_APP"]
        )
        if let container = environment["APUS_DEVICE_CONTAINER"] {
            configuration.directory = URL(fileURLWithPath: container).appendingPathComponent("Apus")
        }
        return configuration
    }
}
