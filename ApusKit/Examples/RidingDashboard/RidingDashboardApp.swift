// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import Foundation
import SwiftUI

@main
struct RidingDashboardApp: App {
    @UIApplicationDelegateAdaptor(RidingDelegate.self) var delegate

    var body: some Scene {
        WindowGroup { DashboardView(model: self.delegate.model) }
    }
}

final class RidingDelegate: ApusAppDelegate {
    let model = DashboardModel()

    override func configure() {
        self.model.refresh.install(in: .shared)
        Apus.shared.start(Self.configuration)
        // Also when a push has launched the app in the background: it picks up what that has started.
        Task { [rides = self.model.rides] in await rides.run() }
    }

    /// In an app of yours these are constants; here they are told, so that tests can say where the server is.
    private static var configuration: ApusConfiguration {
        let environment = ProcessInfo.processInfo.environment
        let server = environment["APUS_STAGE_SERVER"].flatMap(URL.init(string:)) ?? URL(fileURLWithPath: "/")
        var configuration = ApusConfiguration(
            server: server,
            clientKey: environment["APUS_STAGE_CLIENT_KEY"] ?? "",
            app: environment["APUS_DEVICE_APP"]
        )
        if let container = environment["APUS_DEVICE_CONTAINER"] {
            configuration.directory = URL(fileURLWithPath: container).appendingPathComponent("Apus")
        }
        return configuration
    }
}
