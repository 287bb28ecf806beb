// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { activities, activity } from './activities.js';
import { campaign, campaigns } from './campaigns.js';
import { device, devices } from './devices.js';
import { events } from './events.js';
import { health } from './health.js';
import { job, jobs } from './jobs.js';
import { keys } from './keys.js';
import { notification } from './notifications.js';
import { overview } from './overview.js';
import { send } from './send.js';
import { topic, topics } from './topics.js';
import { webhook, webhooks } from './webhooks.js';
import { why } from './why.js';

/**
 * The pages of the console, in the order of the menu.
 *
 * Each has a `name` for the address, a `title`, the `scopes` of which a key needs one, `load` for its data and `draw` for
 * its nodes. With `interval`, in milliseconds, it is loaded again. A page that is not in the menu names its `list`.
 */
export const pages = [
  overview, send, campaigns, devices, why, activities, jobs, topics, webhooks, events, health, keys,
  campaign, notification, device, activity, job, topic, webhook,
];
