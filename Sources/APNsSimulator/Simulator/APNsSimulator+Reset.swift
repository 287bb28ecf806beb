// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Back to the beginning, from Swift.
extension APNsSimulator {
    /// Begins with a new world, as if the simulator had just been started: no devices, no figures, the demo key alone;
    /// the faults and the population as configured.
    ///
    /// Answers that faults held back are given.
    ///
    /// The certificate authority, the ports, open connections and readers of the feeds stay. The simulated time is that
    /// of the configured clock again, at its usual speed. With a configured seed the devices that are booted next have
    /// the identifiers and tokens of the first ones again.
    public func reset() {
        let key = try? ProviderKey(self.demoKey)
        self.core.replaceWorld { world, _ in
            world.faults.release()
            self.core.clock.reset()
            let now = self.core.clock.now
            var fresh = World(self.configuration)
            if let key { fresh.keys.add(key) }
            for script in self.configuration.faults {
                for step in script.seededSteps { _ = fresh.faults.add(step, script: script.name, now: now) }
            }
            return fresh
        }
        self.noteRemoval()
        self.noteClockChange()
    }
}
