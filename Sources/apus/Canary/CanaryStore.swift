// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import CommandLineSupport
import Delivery
import Foundation
import Logging
import PushModel
import PushStore

/// Reads the app's credential and device from the store of the server, which may run meanwhile.
struct CanaryStore {
    let configuration: ServerConfiguration

    /// The token of a registered device, and its environment.
    ///
    /// - Throws: ``CommandError`` where there is no such device or no store.
    func target(of device: String, _ app: Topic) async throws -> Target {
        try await self.open { store in
            let app = try AppID(validating: app.rawValue)
            guard let found = try await store.device(try DeviceID(validating: device), of: app) else {
                let message =
                    "The app '\(app)' has no device '\(device)' in \(self.place). `apus devices list` shows them."
                throw CommandError("device_not_found", message)
            }
            return found.target
        }
    }

    /// The credential with which the server sends; a provider key is preferred, since every push type accepts it.
    ///
    /// - Throws: ``CommandError`` where there is none that can be used.
    func credential(of app: Topic, in environment: APNsEnvironment) async throws -> APNsCredential {
        var logger = Logger(label: "apus.canary", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .error
        return try await self.open { [logger] store in
            let resolver = DestinationResolver(
                credentials: store,
                masterKey: try MasterKeyFile.existingKey(self.configuration, logger: logger),
                credentialDirectory: CredentialDirectory(self.configuration.credentialDirectory),
                logger: logger
            )
            let app = try AppID(validating: app.rawValue)
            do {
                return try await resolver.destination(for: app, in: environment, pushType: .liveactivity).credential
            } catch let failure as DestinationError where failure.code == .noCredential {
                return try await resolver.destination(for: app, in: environment, pushType: .alert).credential
            }
        }
    }

    private var place: String {
        ServerStore.place(data: self.configuration.data, url: self.configuration.storeURL)
    }

    private func open<Value: Sendable>(_ body: (any PushStore) async throws -> Value) async throws -> Value {
        let (data, url) = (self.configuration.data, self.configuration.storeURL)
        // Opening a store would create one.
        guard url != nil || FileManager.default.fileExists(atPath: LocalStore.path(in: data)) else {
            let message = "There is no store in \(data). Name its directory with --data, or give --token and --p8."
            throw CommandError("store_not_found", message)
        }
        do {
            return try await ServerStore.open(data: data, url: url) { store, _ in try await body(store) }
        } catch let failure as DestinationError {
            throw CommandError("no_credential", failure.message, cause: failure)
        } catch let failure as InvalidValueError {
            throw CommandError("bad_name", failure.description, cause: failure)
        }
    }
}
