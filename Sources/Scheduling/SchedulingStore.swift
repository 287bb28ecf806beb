// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// What scheduling needs of a store: the campaigns, their devices and what became of them, and word of changes.
public typealias SchedulingStore = AudienceStore & BatchStore & CampaignStore & DeviceStore & StoreSignals
