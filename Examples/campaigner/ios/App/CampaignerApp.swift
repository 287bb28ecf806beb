// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import Foundation
import SwiftUI

@main
struct CampaignerApp: App {
    @UIApplicationDelegateAdaptor(CampaignerDelegate.self) var delegate

    var body: some Scene {
        WindowGroup { EventView() }
    }
}

/// Registers the device with the level of its player, for segments.
///
/// Nothing handles the silent pushes of a token validation, so they change nothing here.
final class CampaignerDelegate: ApusAppDelegate {
    override func configure() {
        Apus.shared.start(.ofGame)
        do {
            try Apus.shared.setTag("level", "gold")
        } catch {
            print("Error setting the level: \(error)")
        }
    }
}

/// Shows the latest message of the game that has a title.
struct EventView: View {
    @State private var message = "No event yet"

    var body: some View {
        VStack {
            Text(self.message)
            Button("Allow notifications") { Task { await self.requestPermission() } }
        }
        .onPush { push in
            if !push.title.isEmpty { self.message = "\(push.title): \(push.body)" }
        }
    }

    private func requestPermission() async {
        do {
            guard try await !Apus.shared.requestPermission() else { return }
            self.message = "Allow notifications in Settings to hear of events."
        } catch {
            self.message = "Error requesting permission: \(error)"
        }
    }
}

extension ApusConfiguration {
    /// The server and the client key from `Info.plist`; on a virtual device from the environment.
    static var ofGame: ApusConfiguration {
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
