// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import Foundation

/// Where the servers are: on a device from `Info.plist`, in the story on Linux from the environment.
enum AppSettings {
    /// The base URL of the backend.
    static var backend: URL { self.url("IVENTBackend", "IVENT_BACKEND") }

    static var apus: ApusConfiguration {
        let environment = ProcessInfo.processInfo.environment
        var configuration = ApusConfiguration(
            server: self.url("ApusServer", "APUS_STAGE_SERVER"),
            clientKey: self.text("ApusClientKey", "APUS_STAGE_CLIENT_KEY"),
            app: environment["APUS_DEVICE_APP"]
        )
        if environment["APUS_DEVICE_CONTAINER"] != nil {
            configuration.directory = self.directory.appendingPathComponent("Apus")
        }
        return configuration
    }

    /// The directory of the app's files.
    static var directory: URL {
        if let container = ProcessInfo.processInfo.environment["APUS_DEVICE_CONTAINER"] {
            return URL(fileURLWithPath: container)
        }
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return support ?? FileManager.default.temporaryDirectory
    }

    private static func text(_ key: String, _ variable: String) -> String {
        Bundle.main.object(forInfoDictionaryKey: key) as? String ?? ProcessInfo.processInfo.environment[variable] ?? ""
    }

    private static func url(_ key: String, _ variable: String) -> URL {
        URL(string: self.text(key, variable)) ?? URL(fileURLWithPath: "/")
    }
}
