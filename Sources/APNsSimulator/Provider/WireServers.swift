// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Everything that providers connect to: the provider port, the port of channel management, and the legacy ports where
/// they are wanted.
struct WireServers: Sendable {
    let provider: ProviderServer
    let channels: ProviderServer
    let legacy: LegacyServer?

    /// Binds the ports and serves from now on; what goes wrong from the start does.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    init(core: SimulatorCore, credentials: Credentials, group: any EventLoopGroup) async throws(APNsSimulatorError) {
        let configuration = core.configuration
        let tls = try ServerTLS(credentials.authority, host: configuration.host, clock: configuration.clock)
        let now = core.now
        core.withWorld { world in
            for script in configuration.faults {
                for step in script.seededSteps { _ = world.faults.add(step, script: script.name, now: now) }
            }
        }
        let legacy = try await LegacyServer.start(core: core, tls: tls, group: group)
        do throws(APNsSimulatorError) {
            let provider = try await ProviderServer(core: core, tls: tls, group: group)
            do throws(APNsSimulatorError) {
                self.channels = try await ProviderServer(
                    core: core,
                    tls: tls,
                    service: .channelManagement,
                    group: group
                )
            } catch {
                await provider.shutDown()
                throw error
            }
            self.provider = provider
        } catch {
            await legacy?.shutDown()
            throw error
        }
        self.legacy = legacy
    }

    /// The port of the provider API.
    var port: Int { self.provider.port }

    /// Takes no more connections and lets those there are finish.
    func shutDown() async {
        async let legacy: Void? = self.legacy?.shutDown()
        async let channels: Void = self.channels.shutDown()
        await self.provider.shutDown()
        await channels
        await legacy
    }
}
