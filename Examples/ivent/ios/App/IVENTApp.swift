// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import SwiftUI

@main
struct IVENTApp: App {
    @UIApplicationDelegateAdaptor(IVENTDelegate.self) var delegate

    var body: some Scene {
        WindowGroup { ScheduleList(model: self.delegate.model) }
    }
}

final class IVENTDelegate: ApusAppDelegate {
    let model = ScheduleModel(backend: Backend(server: AppSettings.backend))

    override func configure() {
        Apus.shared.start(AppSettings.apus)
        // Also if a push has launched the app in the background: its activity has a token to register.
        Task { [manager = self.model.manager] in await manager.run() }
    }
}
