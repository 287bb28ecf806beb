// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import Foundation
import SwiftUI

/// What the dashboard shows: loaded for a day, and loaded anew when a push says that there is something new.
@MainActor
final class DashboardModel {
    nonisolated let cache = DayCache<String>()
    nonisolated let refresh: DayRefresh<String>
    nonisolated let rides = ActivityCoordinator<RideAttributes>(
        limit: .one,
        instants: { _, state in ["endsAt": state.endsAt] },
        name: { $0.ride }
    )
    private var loads = 0
    private var watchers: [UUID: AsyncStream<Int>.Continuation] = [:]

    nonisolated init() {
        let holder = Holder()
        self.refresh = DayRefresh(cache: self.cache, timeZone: { _ in .current }) { device in
            await holder.model?.load(device)
        }
        holder.model = self
    }

    /// A real app asks its backend here.
    func load(_ device: String) async {
        self.loads += 1
        for watcher in self.watchers.values { watcher.yield(self.loads) }
        await self.cache.set("load \(self.loads)", for: DayKey(device, at: Date(), in: .current))
    }

    /// How often it was loaded: now, and whenever it is loaded again.
    func loadCounts() -> AsyncStream<Int> {
        let id = UUID()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            self.watchers[id] = continuation
            continuation.yield(self.loads)
            continuation.onTermination = { _ in Task { @MainActor in self.watchers[id] = nil } }
        }
    }

    /// Starts a ride; what it returns is for the person to read.
    func startRide() async -> String {
        let name = "ride-\(UUID().uuidString.prefix(8))"
        let state = RideAttributes.ContentState(fee: 400, distance: 0, endsAt: Date().addingTimeInterval(1800))
        do {
            try await self.rides.start(RideAttributes(ride: name), state: state)
            return "The ride has begun"
        } catch {
            return "The ride was not started: \(error)"
        }
    }

    func stopRides() async { await self.rides.endAll(dismissal: .immediate) }

    private final class Holder: @unchecked Sendable {
        weak var model: DashboardModel?
    }
}

struct DashboardView: View {
    let model: DashboardModel
    @State private var loads = 0
    @State private var notice = ""
    @State private var pushes: [String] = []

    var body: some View {
        VStack {
            Text("Loaded \(self.loads) times").font(.headline)
            ForEach(self.pushes, id: \.self) { Text($0) }
            Button("Allow notifications") {
                Task { try await Apus.shared.requestPermission() }
            }
            Button("Start ride") { Task { self.notice = await self.model.startRide() } }
            Button("Stop ride") { Task { await self.model.stopRides() } }
            Text(self.notice)
        }
        .padding()
        .task { for await loads in self.model.loadCounts() { self.loads = loads } }
        .onPush { push in self.pushes.append(push.title.isEmpty ? push.body : push.title) }
    }
}
