// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The whole world as a document, from Swift.
extension APNsSimulator {
    /// The whole world as JSON: keys, devices and what they hold, activities, channels, what waits and what is planned.
    ///
    /// Faults, connections and readers of feeds are no part of it; figures are.
    ///
    /// - Throws: an encoder's error.
    public func snapshot() throws -> [UInt8] {
        let snapshot = self.core.change { world, now in WorldSnapshot(now: now, world: world) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return [UInt8](try encoder.encode(snapshot))
    }

    /// Puts the world of a document in the place of this one.
    ///
    /// The simulated time is moved on to that of the document; where it is later already, it stays, and what is due
    /// happens at once. The switches stay as they are, the faults as well, and the demo key is trusted in any case. The
    /// numbers of the feeds go on; what they kept is forgotten.
    ///
    /// - Parameter json: what ``snapshot()`` has written.
    /// - Throws: ``APNsSimulatorError`` `invalidSnapshot`; then nothing has changed.
    public func restore(_ json: [UInt8]) throws(APNsSimulatorError) {
        let snapshot: WorldSnapshot
        do {
            snapshot = try JSONDecoder().decode(WorldSnapshot.self, from: Data(json))
        } catch {
            throw APNsSimulatorError(code: .invalidSnapshot, message: "this is no snapshot of a world", cause: error)
        }
        guard snapshot.version == WorldSnapshot.currentVersion else {
            let message = "the snapshot has version \(snapshot.version), not \(WorldSnapshot.currentVersion)"
            throw APNsSimulatorError(code: .invalidSnapshot, message: message)
        }
        guard Moment.range.contains(snapshot.now) else {
            let message = "the snapshot is of \(snapshot.now), which is no time from 1970 to 9999"
            throw APNsSimulatorError(code: .invalidSnapshot, message: message)
        }
        let key = try? ProviderKey(self.demoKey)
        self.core.clock.advance(to: snapshot.now)
        self.core.replaceWorld { world, _ in
            var restored = snapshot.world
            if let key { restored.keys.add(key) }
            restored.faults = world.faults
            restored.switches = world.switches
            return restored
        }
        self.core.advanceWorld()
        self.noteClockChange()
    }
}
