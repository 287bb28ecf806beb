// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// What scheduling needs of a store: the campaigns, their devices, and word of changes.
public typealias SchedulingStore = AudienceStore & CampaignStore & StoreSignals
