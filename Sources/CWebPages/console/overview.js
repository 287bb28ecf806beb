// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, get } from './api.js';
import { el } from './dom.js';
import { count, number } from './format.js';
import { progressBar } from './campaigns.js';
import { entry } from './events.js';
import { at, code, empty, link, section, state, table } from './ui.js';

export const overview = {
  name: 'overview', title: 'Overview', scopes: ['read'], interval: 5000,

  async load({ app }) {
    const [delivery, { campaigns }, { jobs }, { events }] = await Promise.all([
      get(appPath(app, 'delivery')), get(`${appPath(app, 'campaigns')}?limit=50`), get(`${appPath(app, 'jobs')}?limit=100`),
      get(`${appPath(app, 'events')}?latest=10`),
    ]);
    return { delivery, campaigns, jobs, events };
  },

  draw({ delivery, campaigns, jobs, events }) {
    const { queues } = delivery;
    const batches = queues.reduce((sum, queue) => sum + queue.batches, 0);
    const oldest = Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds));
    const running = campaigns.filter(({ progress }) => !progress.isCompleted);
    const failed = jobs.filter(({ lastRun }) => lastRun?.state === 'failed');
    return [
      el('div', { class: 'tiles' },
        tile('Campaigns running or scheduled', number(running.length)), tile('Batches waiting', number(batches)),
        tile('Oldest batch', batches > 0 ? count(oldest, 'second') : '–'),
        tile('Open circuits', number(delivery.openCircuits.length)), tile('Failed jobs', number(failed.length))),
      ...circuits(delivery.openCircuits),
      section('Latest campaigns', campaigns.length > 0
        ? table('Latest campaigns', ['Name', 'State', 'Progress', '#Accepted by APNs'], listed(campaigns).map((campaign) => [
          link(campaign.name, 'campaign', { id: campaign.id }), state(campaign.progress.state),
          progressBar(campaign.progress), campaign.progress.counts.delivered]))
        : empty('There is no campaign. Create one on the page Send.')),
      failed.length > 0 && section('Jobs whose last run failed',
        table('Jobs whose last run failed', ['Job', 'Time', 'Message'], failed.map(({ id, lastRun }) => [
          link(id, 'job', { id }), at(lastRun.endedAt), lastRun.message]))),
      section('Latest events', events.length > 0
        ? el('ol', { class: 'events' }, ...[...events].reverse().map(entry))
        : el('p', { class: 'quiet' }, 'No event is stored.')),
    ];
  },
};

/** The campaigns in progress, and others up to five, the latest first. */
const listed = (campaigns) => campaigns.filter(({ progress }, index) => index < 5 || !progress.isCompleted);

/** Warnings about circuits that are open: pushes wait for them. */
export function circuits(open) {
  return open.map(({ environment, credential, cause, reason, since, nextProbeAt }) => el('p', { class: 'warning' },
    `Pushes for ${environment} wait since `, at(since), `: ${cause}, ${reason}. Credential `, code(credential),
    '. The next attempt is at ', at(nextProbeAt), '.'));
}

const tile = (name, value) => el('div', { class: 'tile' }, el('strong', {}, value), name);
