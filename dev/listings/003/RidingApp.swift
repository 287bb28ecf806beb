// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SwiftUI

/// The app around the view, as Xcode's template has it.
@main
struct RidingApp: App {
    var body: some Scene { WindowGroup { ContentView() } }
}
