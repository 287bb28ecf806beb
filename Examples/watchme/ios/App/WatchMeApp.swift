// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SwiftUI

@main
struct WatchMeApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) var appDelegate

    var body: some Scene {
        WindowGroup { SimpleDashboardView() }
    }
}
