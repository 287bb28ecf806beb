// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, call, get, withQuery } from './api.js';
import { el, report } from './dom.js';
import { at, button, code, confirm, empty, facts, json, link, pager, section, state, table } from './ui.js';

export const jobs = {
  name: 'jobs', title: 'Jobs', scopes: ['campaigns', 'activities', 'read'], interval: 10_000,

  load: ({ app, parameters: { cursor } }) => get(withQuery(appPath(app, 'jobs'), { limit: '50', cursor })),

  draw({ jobs: list, nextCursor }) {
    if (list.length === 0) {
      return [empty('There is no job. A job sends a notification, starts a campaign, changes Live Activities or calls a webhook on a '
        + 'schedule.', 'apus jobs put BUNDLE_ID NAME --file job.json')];
    }
    return [
      table('Jobs', ['Job', 'Type', 'Schedule', 'Next run', 'Last run', 'State'], list.map((item) => [
        link(item.id, 'job', { id: item.id }), item.type, schedule(item.schedule), item.nextRunAt ? at(item.nextRunAt) : '–',
        item.lastRun ? state(item.lastRun.state) : '–', state(item.paused ? 'paused' : 'active')])),
      pager(nextCursor),
    ];
  },
};

const schedule = ({ cron, timeZone, everySeconds }) =>
  (cron ? el('span', {}, code(cron), ` ${timeZone ?? 'UTC'}`) : `every ${everySeconds} s`);

export const job = {
  name: 'job', title: 'Job', scopes: ['campaigns', 'activities', 'read'], isListed: false, list: 'jobs', interval: 5000,

  async load({ app, parameters: { id, cursor } }) {
    const path = appPath(app, 'jobs', id);
    const [item, runs] = await Promise.all([get(path), get(withQuery(`${path}/runs`, { limit: '50', cursor }))]);
    return { item, runs };
  },

  draw({ item, runs: { runs, nextCursor } }, context) {
    const path = appPath(context.app, 'jobs', item.id);
    const run = (verb) => report(call('POST', `${path}:${verb}`)).then(() => context.refresh());
    return [
      el('h2', { dir: 'auto' }, item.id),
      facts({
        State: state(item.paused ? 'paused' : 'active'), Type: item.type, Schedule: schedule(item.schedule),
        'Next run': item.nextRunAt && at(item.nextRunAt), 'If a run is in progress': item.overlap, 'Missed runs': item.misfire,
        Retries: item.maxRetries, 'Time limit': `${item.timeoutSeconds} s`, Changed: at(item.updatedAt),
      }),
      context.allows('campaigns', 'activities') && el('p', { class: 'controls' },
        button('Run now', () => report(confirm({ title: 'Run the job now?', verb: 'Run now', text: `“${item.id}” runs once, regardless of its schedule.` },
          () => call('POST', `${path}:run`)).then(() => context.refresh())), { class: 'primary' }),
        item.paused ? button('Resume', () => run('resume')) : button('Pause', () => run('pause'))),
      section('What it does', json(item.notification ?? item.activities ?? item.webhook ?? { campaign: item.campaign }, 'What it does')),
      section('Runs, the latest first', runs.length > 0
        ? table('Runs', ['Due', 'State', 'Trigger', 'Started', 'Ended', '#Attempts', '#Processed', 'Message'], runs.map((one) => [
          at(one.dueAt), state(one.state), one.trigger, at(one.startedAt), at(one.endedAt), one.attempts, one.processedCount,
          one.campaign ? link('Campaign', 'campaign', { id: one.campaign }) : one.message ?? one.reason]))
        : el('p', { class: 'quiet' }, 'It has not run yet.'),
      pager(nextCursor)),
    ];
  },
};
