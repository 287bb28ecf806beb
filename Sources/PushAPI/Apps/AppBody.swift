// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An app as it is written.
struct AppBody: Encodable {
    let id: String
    let name: String
    let defaultEnvironment: APNsEnvironment
    let createdAt: Date

    init(_ app: App) {
        self.id = app.id.rawValue
        self.name = app.name
        self.defaultEnvironment = app.defaultEnvironment
        self.createdAt = app.createdAt
    }
}

/// A page of apps as it is written.
struct AppListBody: Encodable {
    let apps: [AppBody]
    let next: String?
}
