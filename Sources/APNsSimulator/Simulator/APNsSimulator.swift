// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
public import Logging
public import NIOCore
public import NIOPosix
public import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A simulator of APNs: a provider port that applies the rules of APNs, virtual devices that receive the accepted
/// pushes, and a control port to drive both from any language.
///
/// Run it as a service, or scoped with ``withAPNsSimulator(_:eventLoopGroup:logger:_:)``.
public final class APNsSimulator: Service {
    /// How it was set up.
    public let configuration: APNsSimulatorConfiguration
    /// The root certificate that clients have to trust, as PEM.
    public let caPEM: String
    /// A provider key that is trusted for every topic in both environments.
    public let demoKey: SimulatorProviderKey

    let core: SimulatorCore
    let credentials: SimulatorCredentials
    private let eventLoopGroup: any EventLoopGroup
    private let logger: Logger
    private let readiness = ReadinessPromise<SimulatorEndpoints>()

    /// Creates a simulator, which listens once it runs.
    ///
    /// - Parameters:
    ///   - configuration: addresses, environment and switches.
    ///   - eventLoopGroup: the threads of the connections; a group of one thread limits the simulator to one core.
    ///   - logger: logs the start, the end and failures of the control API.
    /// - Throws: ``APNsSimulatorError`` `directory` if the configured directory cannot be used.
    public init(
        configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "apus.simulator")
    ) throws {
        let now = configuration.clock.now()
        let credentials =
            if let path = configuration.directory {
                try SimulatorCredentials(directory: SimulatorDirectory(path: path), now: now)
            } else {
                try SimulatorCredentials(now: now)
            }
        self.configuration = configuration
        self.credentials = credentials
        self.caPEM = try credentials.authority.certificatePEM
        self.demoKey = credentials.demoKey
        self.core = SimulatorCore(configuration: configuration)
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
        let key = try ProviderKey(credentials.demoKey)
        self.core.withWorld { $0.keys.add(key) }
    }

    /// Listens on both ports until the service is shut down or the task is cancelled.
    ///
    /// Can be called once.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    public func run() async throws {
        do {
            let provider = try await SimulatorListeners(
                core: self.core,
                credentials: self.credentials,
                group: self.eventLoopGroup
            )
            self.core.runner.start(self.core, on: self.eventLoopGroup.next())
            defer { self.core.runner.stop() }
            do {
                try await self.runControl(provider)
            } catch {
                await self.stop(provider)
                throw error
            }
            await self.stop(provider)
        } catch {
            self.readiness.settle(.failure(error))
            throw error
        }
        let error = APNsSimulatorError(code: .stopped, message: "the simulator was stopped before it was ready")
        self.readiness.settle(.failure(error))
    }

    private func runControl(_ provider: SimulatorListeners) async throws {
        let control = ControlServer(simulator: self, eventLoopGroup: self.eventLoopGroup, logger: self.logger)
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await control.run { port in
                let endpoints = self.endpoints(provider, controlPort: port)
                self.logger.info("\(endpoints.readyLine)")
                self.readiness.settle(.success(endpoints))
            }
        } onCancelOrGracefulShutdown: {
            // Readers of the feed would keep the control port open.
            self.core.finishFeeds()
        }
    }

    private func stop(_ provider: SimulatorListeners) async {
        self.core.finishFeeds()
        await provider.shutDown()
    }

    /// The addresses of the simulator, once it listens.
    ///
    /// - Throws: the error of ``run()``.
    public func endpoints() async throws -> SimulatorEndpoints {
        try await self.readiness.get()
    }

    /// Where the simulator is reached; `nil` before it listens.
    public var currentEndpoints: SimulatorEndpoints? { self.readiness.value }

    /// The port of the provider API; 0 before it listens.
    public var port: Int { self.currentEndpoints?.port ?? 0 }

    /// The port of the control API; 0 before it listens.
    public var controlPort: Int { self.currentEndpoints?.controlPort ?? 0 }

    /// The port of channel management; 0 before it listens.
    public var channelPort: Int { self.currentEndpoints?.channelPort ?? 0 }

    private func endpoints(_ servers: SimulatorListeners, controlPort: Int) -> SimulatorEndpoints {
        let directory = self.configuration.directory.map { SimulatorDirectory(path: $0) }
        return SimulatorEndpoints(
            host: self.configuration.host,
            port: servers.port,
            controlPort: controlPort,
            channelPort: servers.channels.port,
            gatewayPort: servers.legacy?.gatewayPort,
            feedbackPort: servers.legacy?.feedbackPort,
            courierPort: servers.courier?.port,
            environment: self.configuration.environment,
            caPath: directory?.path(of: .authority),
            keyPath: directory?.path(of: .demoKey),
            keyID: self.demoKey.keyID,
            teamID: self.demoKey.teamID
        )
    }
}

/// Runs a simulator while `body` runs.
///
/// The simulator listens before it calls `body`, and stops afterwards.
///
/// - Parameters:
///   - configuration: by default two free ports of 127.0.0.1, sandbox, no files.
///   - eventLoopGroup: the threads of the connections.
///   - logger: logs the start, the end and failures of the control API.
///   - body: uses the simulator.
/// - Returns: the result of `body`.
/// - Throws: ``APNsSimulatorError`` if the simulator cannot be started, and the errors of `body`.
public func withAPNsSimulator<Value: Sendable>(
    _ configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    logger: Logger = Logger(label: "apus.simulator"),
    _ body: (APNsSimulator) async throws -> Value
) async throws -> Value {
    let simulator = try APNsSimulator(configuration: configuration, eventLoopGroup: eventLoopGroup, logger: logger)
    let services = ServiceGroup(configuration: ServiceGroupConfiguration(services: [simulator], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await services.run() }
        _ = try await simulator.endpoints()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(simulator))
        } catch {
            result = .failure(error)
        }
        await services.triggerGracefulShutdown()
        try await group.waitForAll()
        return try result.get()
    }
}

/// The simulated time, from Swift.
extension APNsSimulator {
    /// The simulated time.
    public var now: Date { Date(timeIntervalSince1970: self.core.now) }

    /// How many simulated seconds pass in a real one.
    public var timeScale: Double { self.core.clock.scale }

    /// Moves the simulated time on; all that is due until then has happened when the call returns.
    ///
    /// - Parameter duration: how far; a negative one changes nothing, and none leads beyond the year 9999.
    /// - Returns: the simulated time afterwards.
    @discardableResult
    public func advance(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        self.core.clock.advance(by: Double(seconds) + Double(attoseconds) / 1e18)
        self.core.advanceWorld()
        self.noteClockChange()
        return self.now
    }

    /// Changes the speed of the simulated time: 0 to 1,000,000; 0 stops it.
    public func setTimeScale(_ scale: Double) {
        self.core.clock.setScale(scale)
        self.noteClockChange()
    }

    /// Notifies the users of the simulated time that it was moved or runs at another speed.
    func noteClockChange() {
        self.core.runner.noteClockChange(nextDue: self.core.nextDue)
        self.core.followers.noteChange()
    }

    /// The time of the next scheduled event; `nil` if nothing is scheduled.
    public var nextDue: Date? {
        let due = self.core.nextDue
        return due < .infinity ? Date(timeIntervalSince1970: due) : nil
    }
}

/// Faults and figures, from Swift.
extension APNsSimulator {
    /// Lets something go wrong from now on.
    ///
    /// - Returns: the fault's identifier.
    @discardableResult
    public func inject(_ fault: SimulatorFault) -> Int {
        let now = self.core.now
        defer { self.core.connections.server?.noteFaults() }
        return self.core.withWorld { $0.faults.add(fault, now: now).id }
    }

    /// Injects the faults of a script.
    ///
    /// - Returns: the faults, armed, in the order of the steps.
    @discardableResult
    public func inject(_ script: FaultScript) -> [ActiveFault] {
        let now = self.core.now
        defer { self.core.connections.server?.noteFaults() }
        return self.core.withWorld { world in
            script.seededSteps.map { world.faults.add($0, script: script.name, now: now) }
        }
    }

    /// The faults that can still match or hold responses, in the order of their injection.
    public var faults: [ActiveFault] {
        let now = self.core.now
        return self.core.withWorld { $0.faults.faults(now: now) }
    }

    /// Removes one fault and releases its held responses.
    ///
    /// - Returns: whether it could still match or held responses.
    @discardableResult
    public func removeFault(_ id: Int) -> Bool {
        defer { self.noteRemoval() }
        return self.core.withWorld { $0.faults.remove(id) }
    }

    /// Removes all faults and releases their held responses.
    public func clearFaults() {
        self.core.withWorld { $0.faults.removeAll() }
        self.noteRemoval()
    }

    /// Executes the actions that removed faults prevented.
    func noteRemoval() {
        self.core.connections.answerReleased()
        self.core.connections.server?.noteFaults()
    }

    /// Opens or closes the provider port, as required by the current faults.
    ///
    /// A running simulator does this automatically within some milliseconds; this waits for it.
    public func followFaults() async {
        await self.core.connections.server?.followFaults()
    }

    /// The statistics since the start.
    public var statistics: SimulatorStatistics { self.core.statistics }
}

/// Back to the beginning, from Swift.
extension APNsSimulator {
    /// Resets the world to its state after the start: no devices, no statistics, only the demo key, and the configured
    /// faults and population.
    ///
    /// Held responses are released.
    ///
    /// The certificate authority, the ports, open connections and readers of the feeds stay. The simulated time is
    /// again that of the configured clock, at its normal speed. With a configured seed, the next booted devices have
    /// the same IDs and tokens as the first ones.
    public func reset() {
        let key = try? ProviderKey(self.demoKey)
        self.core.replaceWorld { world, _ in
            world.faults.release()
            self.core.clock.reset()
            let now = self.core.clock.now
            var fresh = SimulatorState(self.configuration)
            if let key { fresh.keys.add(key) }
            for script in self.configuration.faults {
                for step in script.seededSteps { _ = fresh.faults.add(step, script: script.name, now: now) }
            }
            return fresh
        }
        self.core.couriers.endAll(.reset)
        self.noteRemoval()
        self.noteClockChange()
    }
}

/// A result that is awaited by many and comes once.
final class ReadinessPromise<Value: Sendable>: Sendable {
    private enum State {
        /// Can transition to: `done`.
        case waiting([CheckedContinuation<Value, any Error>])
        case done(Result<Value, any Error>)
    }

    private let state = Mutex(State.waiting([]))

    /// The result, once it is there.
    func get() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Value, any Error>? = self.state.withLock { state in
                switch state {
                case .waiting(let waiters):
                    state = .waiting(waiters + [continuation])
                    return nil
                case .done(let result): return result
                }
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// The value, if it is there.
    var value: Value? {
        self.state.withLock { if case .done(.success(let value)) = $0 { value } else { nil } }
    }

    /// Settles the result.
    ///
    /// A second time changes nothing.
    func settle(_ result: Result<Value, any Error>) {
        let waiters: [CheckedContinuation<Value, any Error>] = self.state.withLock { state in
            guard case .waiting(let waiters) = state else { return [] }
            state = .done(result)
            return waiters
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
