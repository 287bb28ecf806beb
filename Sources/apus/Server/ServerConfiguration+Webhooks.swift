// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Webhooks

extension ServerConfiguration {
    /// How this server posts to webhooks: the configured values, and the defaults for the rest.
    func webhookConfiguration() -> WebhookConfiguration {
        var configuration = WebhookConfiguration()
        configuration.allowsPrivateNetworks = self.allowsPrivateNetworks
        configuration.disableAfter = .seconds(self.webhookHours * 3600)
        return configuration
    }
}
