// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import SwiftUI

/// Today and yesterday of one device, loaded from the table `dashboard_summary` and cached.
struct SimpleDashboardView: View {
    private let deviceManager = DeviceManager.shared
    @State private var dataCache = DayCache<String>()
    @State private var summaries: [String] = []
    @State private var loading: Task<Void, Never>?

    var body: some View {
        VStack {
            ForEach(self.summaries, id: \.self) { Text($0) }
        }
        .onAppear { self.refresh(nil) }
        .onReceive(NotificationCenter.default.publisher(for: .refreshDashboard)) { notification in
            guard let device = notification.userInfo?["device_id"] as? String else { return }
            self.refresh(device)
        }
    }

    /// Removes today of a device from the cache, in the time zone of the device, and loads the days that are not there.
    ///
    /// One refresh starts after the other, because a response that was sent before the push must not fill the cache after it.
    private func refresh(_ device: String?) {
        let previous = self.loading
        self.loading = Task {
            await previous?.value
            if let device {
                let today = DayKey(device, at: Date(), in: self.deviceManager.timeZone(of: device))
                await self.dataCache.set(nil, for: today)
            }
            await self.loadAllData()
        }
    }

    private func loadAllData() async {
        let device = self.deviceManager.currentDevice
        let timeZone = self.deviceManager.timeZone(of: device)
        var summaries: [String] = []
        for date in [Date(), Date(timeIntervalSinceNow: -86_400)] {
            let key = DayKey(device, at: date, in: timeZone)
            if await self.dataCache[key] == nil, let summary = try? await self.load(key) {
                await self.dataCache.set(summary, for: key)
            }
            summaries.append("\(key.day): \(await self.dataCache[key] ?? "not loaded")")
        }
        self.summaries = summaries
    }

    private func load(_ key: DayKey) async throws -> String {
        struct Row: Decodable { let summary: String }
        let rows = try await Supabase.shared
            .from("dashboard_summary")
            .eq("device_id", value: key.subject)
            .eq("date", value: key.day)
            .execute()
        return try JSONDecoder().decode([Row].self, from: rows).first?.summary ?? "no data"
    }
}

/// The recording device that belongs to this phone, and its time zone.
struct DeviceManager: Sendable {
    static let shared = DeviceManager()

    var currentDevice: String { Setting.string("DeviceID", "WATCHME_DEVICE") }

    func timeZone(of device: String) -> TimeZone {
        TimeZone(identifier: Setting.string("DeviceTimeZone", "WATCHME_TIME_ZONE")) ?? .current
    }
}
