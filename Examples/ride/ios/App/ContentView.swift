// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import SwiftUI

/// Two buttons: one starts a ride, the other ends it.
struct ContentView: View {
    let rides: ActivityCoordinator<RidingAttributes>
    /// Updates the ride every 10 seconds.
    ///
    /// iOS suspends it together with the app; from then on the server updates the ride.
    @State private var timer: Task<Void, Never>?
    @State private var notice = ""

    var body: some View {
        VStack {
            Button("Start Live Activities") { self.startLiveActivities() }.padding()
            Button("Stop Live Activities") { self.stopLiveActivities() }.padding()
            Text(self.notice)
        }
    }

    private func startLiveActivities() {
        let attributes = RidingAttributes(ride: "ride-\(UUID().uuidString.lowercased())")
        let state = RidingAttributes.RidingStatus(fee: 0, estimatedDistance: 0, estimatedRidingTime: Date())
        Task {
            do {
                try await self.rides.start(attributes, state: state)
                self.notice = "Requested a riding Live Activity \(attributes.ride)"
                self.updateData()
            } catch {
                self.notice = "Error requesting riding Live Activity: \(error)"
            }
        }
    }

    private func updateData() {
        self.timer?.cancel()
        self.timer = Task {
            while (try? await Task.sleep(for: .seconds(10))) != nil { await self.updateLiveActivities() }
        }
    }

    /// Adds to the newest state of the activity, which is the server's after the app was suspended.
    private func updateLiveActivities() async {
        for ride in await self.rides.names {
            guard var state = await self.rides.state(of: ride) else { continue }
            state.estimatedDistance += Double.random(in: 0...3)
            state.fee = RidingAttributes.RidingStatus.fee(for: state.estimatedDistance)
            await self.rides.update(ride, to: state)
        }
    }

    /// Ends the ride with a state of zeros, and removes it from the Lock Screen at once.
    private func stopLiveActivities() {
        self.timer?.cancel()
        let state = RidingAttributes.RidingStatus(fee: 0, estimatedDistance: 0, estimatedRidingTime: Date())
        Task {
            for ride in await self.rides.names { await self.rides.end(ride, state: state, dismissal: .immediate) }
            self.notice = "The ride is over"
        }
    }
}
