// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { call } from './api.js';
import { Controls } from './controls.js';
import { byID } from './dom.js';
import { Drawer } from './drawer.js';
import { Filters } from './filters.js';
import { glyph } from './glyphs.js';
import { Grid } from './grid.js';
import { Model } from './model.js';
import { follow } from './stream.js';
import * as strings from './strings.js';
import { Ticker } from './ticker.js';

const model = new Model();
const drawer = new Drawer(model);
const grid = new Grid(byID('grid'), model, (id, opener) => drawer.open(id, opener));
const controls = new Controls(model);
const ticker = new Ticker(model);
const filters = new Filters(layOut);
/** The number of devices that match the filter. */
let matching = 0;

/** Lays out the devices that match the filter. */
function layOut() {
  const values = filters.values;
  const ids = model.matching(values);
  const tiles = model.devices.size;
  grid.show(ids);
  byID('grid').dataset.columns = values.columns;
  byID('empty').hidden = tiles > 0;
  byID('nothing').hidden = tiles === 0 || ids.length > 0;
  matching = ids.length;
  showCount();
}

function showCount() {
  const tiles = model.devices.size;
  byID('count').value = tiles > 0 ? strings.shownDevices(matching, tiles, model.counters.devices ?? tiles) : '';
}

function receive(message, isSnapshot) {
  // After a reset, or in another simulator, no device is known.
  const wasReset = isSnapshot && !message.devices.some(({ id }) => model.devices.has(id));
  const { changed, lit, isNew } = model.apply(message, isSnapshot);
  filters.setApps(model.apps);
  if (isNew || filters.isActive) layOut();
  showCount();
  if (isSnapshot) grid.updateAll();
  grid.update(changed, lit);
  if (wasReset) ticker.clear();
  ticker.add(message.events ?? [], message.skippedEvents ?? 0);
  controls.update(isSnapshot);
  drawer.refresh(changed);
}

function showConnection(lostAt) {
  const status = byID('connection');
  const isLost = lostAt !== null;
  if (document.body.classList.toggle('lost', isLost) === isLost && status.dataset.since === String(lostAt)) return;
  status.dataset.since = String(lostAt);
  if (isLost) model.stopTime();
  else showCommands();
  status.replaceChildren(
    glyph(isLost ? 'offline' : 'online'), isLost ? strings.disconnected(lostAt) : strings.texts.connected);
}

/** Shows the commands of the empty wall, with the addresses of this simulator. */
async function showCommands() {
  const show = (info) => {
    for (const [name, text] of Object.entries(strings.commands(location.origin, info))) {
      byID(`${name}-command`).textContent = text;
    }
  };
  show(null);
  // Without an answer the commands keep their placeholders; the stream reports that the simulator is gone.
  show(await call('GET', '/v1/info').catch(() => null));
}

document.querySelector('.logo').append(glyph('signal'));
follow(receive, showConnection);

// The clocks on the screens show minutes.
let minute = null;
setInterval(() => {
  const now = strings.minute(model.now);
  if (now !== minute) grid.updateAll();
  minute = now;
}, 1000);
