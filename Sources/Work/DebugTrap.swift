// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
package import PushModel

/// Ends the process when a worker begins to process an item that a test names; does nothing in release builds.
///
/// The environment variable `APUS_DEBUG_TRAP` lists the items as `kind:id`, separated by commas. Kinds are those of
/// `WorkKind`, and IDs those of the API. A topic delivery is named by its subscription, and an endpoint event by its
/// device, because a test cannot know their own IDs before.
package enum DebugTrap {
    #if DEBUG
    private static let items: Set<Substring> = {
        let text = ProcessInfo.processInfo.environment["APUS_DEBUG_TRAP"] ?? ""
        return Set(text.split(separator: ","))
    }()
    #endif

    package static func check(_ kind: WorkKind, _ id: @autoclosure () -> String) {
        #if DEBUG
        guard !self.items.isEmpty else { return }
        let item = "\(kind.rawValue):\(id())"
        // Cannot trap: only a test sets the variable, for the sake of this trap.
        if self.items.contains(Substring(item)) { fatalError("APUS_DEBUG_TRAP names \(item).") }
        #endif
    }
}
