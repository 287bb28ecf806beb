// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import PushModel
import PushStore
import ServiceLifecycle

/// All devices of an app, written page by page as the client takes them.
struct DeviceExport: Sendable {
    let app: AppID
    let format: DeviceFileFormat
    let store: any DeviceStore

    /// How many devices are read at once.
    static let pageSize = 500

    /// The server stops before the last device: the connection is broken, so that nobody takes a part for the whole.
    struct Interrupted: Error {}

    /// The first page, by which a store that cannot be read is told before anything is answered.
    func firstPage() async throws -> Page<Device, DeviceCursor> {
        try await self.store.devices(of: self.app, after: nil, limit: Self.pageSize)
    }

    /// Writes everything from the first page on.
    func body(from first: Page<Device, DeviceCursor>) -> ResponseBody {
        ResponseBody { writer in
            var file = DeviceFileWriter(self.format)
            var page = first
            while true {
                for device in page.elements { file.write(DeviceBody(device)) }
                try await writer.write(file.take())
                guard let next = page.next else { break }
                guard !Task.isShuttingDownGracefully else { throw Interrupted() }
                page = try await self.store.devices(of: self.app, after: next, limit: Self.pageSize)
            }
            try await writer.finish(nil)
        }
    }
}
