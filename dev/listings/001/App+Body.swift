// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SwiftUI

// The listing says in the place of the app's scene that the code of before stands there.
extension ios_watchme_v9App {
    var body: some Scene { WindowGroup { SimpleDashboardView() } }
}
