// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, get, withQuery } from './api.js';
import { el } from './dom.js';
import { count } from './format.js';
import { at, choice, empty, facts, filter, json, link, pager, section, short, state, table, text } from './ui.js';

/** Topics, and the broadcast channels of an environment. */
export const topics = {
  name: 'topics', title: 'Topics and channels', scopes: ['read'],

  async load({ app, parameters: { cursor, environment } }) {
    const [list, channels] = await Promise.all([
      get(withQuery(appPath(app, 'topics'), { limit: '50', cursor })), get(withQuery(appPath(app, 'channels'), { environment })),
    ]);
    return { list, channels };
  },

  draw({ list: { topics: items, nextCursor }, channels }) {
    const { environment, channels: known, unmanaged, apnsError } = channels;
    return [
      section('Topics', items.length > 0
        ? table('Topics', ['Name', 'Display name', 'Created'], items.map((item) => [
          link(item.name, 'topic', { id: item.name }), text(item.displayName), at(item.createdAt)]))
        : empty('There is no topic. A topic sends one message to all of its subscribers.', 'apus topics create BUNDLE_ID NAME'),
      pager(nextCursor)),
      section('Broadcast channels',
        filter('Environment of the channels', choice('Environment', 'environment', { sandbox: 'Sandbox', production: 'Production' }, environment)),
        apnsError && el('p', { class: 'warning' }, `APNs could not list its channels: ${apnsError.detail}`),
        known.length > 0
          ? table('Broadcast channels', ['Name', 'State', 'Stores messages', 'Exists at APNs', 'Created'], known.map((item) => [
            text(item.name), state(item.state), item.messageStoragePolicy === 'none' ? 'No' : 'The latest',
            item.existsAtAPNs === undefined ? 'Not known' : item.existsAtAPNs ? 'Yes' : 'No', at(item.createdAt)]))
          : el('p', { class: 'quiet' }, 'There is no broadcast channel.'),
        unmanaged?.length > 0 && el('p', { class: 'warning' }, `APNs has ${count(unmanaged.length, 'channel')} that Apus does not manage.`)),
    ];
  },
};

export const topic = {
  name: 'topic', title: 'Topic', scopes: ['read'], isListed: false, list: 'topics',

  async load({ app, parameters: { id, cursor } }) {
    const path = appPath(app, 'topics', id);
    const [item, list] = await Promise.all([get(path), get(withQuery(`${path}/subscriptions`, { limit: '50', cursor }))]);
    return { item, list };
  },

  draw({ item, list: { subscriptions, nextCursor } }) {
    return [
      el('h2', { dir: 'auto' }, item.name),
      facts({ 'Display name': item.displayName, Created: at(item.createdAt), Subscriptions: count(item.subscriptions?.count ?? 0, 'subscription') }),
      Object.keys(item.tags).length > 0 && section('Tags', json(item.tags, 'Tags')),
      section('Subscriptions', subscriptions.length > 0
        ? table('Subscriptions', ['ID', 'Device', 'User', 'Filter', 'Created'], subscriptions.map((one) => [
          short(one.id), one.device ? link(one.device, 'device', { id: one.device }) : '–', text(one.user),
          one.filter ? el('code', {}, JSON.stringify(one.filter)) : 'All messages', at(one.createdAt)]))
        : el('p', { class: 'quiet' }, 'No device or user of the app is subscribed.'),
      pager(nextCursor)),
    ];
  },
};
