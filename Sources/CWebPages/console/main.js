// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { APIError, call, get, onSignedOut } from './api.js';
import { byID, el, notice, openForm, report } from './dom.js';
import { disconnected } from './format.js';
import { pages } from './pages.js';
import { address, go, place, start } from './router.js';
import { texts } from './strings.js';

/** The time after which a page that is being loaded says so, in milliseconds. */
const patience = 200;
/** The interval at which an open console renews its session, in milliseconds. */
const renewal = 10 * 60_000;

let session = null;
/** The page that is shown, what it drew, and what ends it. */
let shown = { drawn: null, ends: [], timer: null, again: null, lostAt: null };
let number = 0;
/** Whether the first input of the next page gets the focus. */
let focusesInput = false;

const allows = (page) => !page.scopes || session.scopes.includes('admin')
  || page.scopes.some((scope) => session.scopes.includes(scope));

function lost(since) {
  byID('connection').textContent = since ? disconnected(since) : '';
  document.body.classList.toggle('lost', since !== null);
}

function endStreams() {
  for (const end of shown.ends.splice(0)) end();
}

/** Ends what the shown page does in the background. */
function leave() {
  clearTimeout(shown.timer);
  endStreams();
  shown = { drawn: null, ends: [], timer: null, again: null, lostAt: null };
}

/** Shows the page of the address. */
async function show({ isNewPage = true } = {}) {
  leave();
  lost(null);
  notice(null);
  const { app, page: name, ...parameters } = place();
  const first = pages.find(allows);
  const page = pages.find((candidate) => candidate.name === name) ?? first;
  if (!page) return draw([el('p', { class: 'empty' }, texts.noPage)]);
  const current = ++number;
  byID('app').value = app ?? '';
  byID('title').textContent = page.title;
  document.title = `${page.title} – Apus`;
  for (const item of byID('pages').querySelectorAll('a')) {
    if (item.dataset.page === page.name) item.setAttribute('aria-current', 'page');
    else item.removeAttribute('aria-current');
    item.href = address(item.dataset.page);
  }
  if (isNewPage) byID('main').focus({ preventScroll: true });
  if (isNewPage) scrollTo(0, 0);
  const context = {
    app, session, parameters,
    isCurrent: () => current === number,
    allows: (...scopes) => allows({ scopes }),
    onLeave: (end) => (current === number ? shown.ends.push(end) : end()),
    refresh: () => (current === number ? update(page, context, true) : undefined),
    lost: (since) => current === number && lost(since),
  };
  if (!app) return draw([el('p', { class: 'empty' }, texts.noApp), askForApp()]);
  const skeleton = setTimeout(() => current === number && draw([el('p', { class: 'quiet' }, texts.loading)]), patience);
  await update(page, context, true);
  clearTimeout(skeleton);
  if (focusesInput) byID('content').querySelector('input')?.focus();
  focusesInput = false;
}

/** Loads the content of a page, and draws it if it changed. */
async function update(page, context, isFirst) {
  clearTimeout(shown.timer);
  try {
    const data = await (page.load?.(context) ?? {});
    if (!context.isCurrent()) return;
    shown.lostAt = null;
    lost(null);
    const key = JSON.stringify(data);
    if (isFirst || (key !== shown.drawn && !isInUse())) {
      shown.drawn = key;
      endStreams();
      draw(page.draw(data, context));
    }
  } catch (error) {
    if (!context.isCurrent()) return;
    const isTemporary = error instanceof APIError && (error.status === 0 || error.status === 429 || error.status >= 500);
    if (!isTemporary || isFirst) {
      shown.drawn = null;
      draw([failure(error, context)]);
    } else {
      shown.lostAt ??= new Date();
      lost(shown.lostAt);
    }
  }
  if (page.interval && context.isCurrent()) {
    shown.again = () => update(page, context, false);
    // Another update may have set one meanwhile.
    clearTimeout(shown.timer);
    shown.timer = setTimeout(shown.again, document.hidden ? 6 * page.interval : page.interval);
  }
}

/** Whether the user types, presses or answers; what is drawn then would be lost. */
const isInUse = () => isPressed || document.querySelector('dialog[open]') !== null
  || document.activeElement.closest('#content :is(input, select, textarea)') !== null;

let isPressed = false;
for (const type of ['pointerdown', 'pointerup', 'pointercancel']) {
  addEventListener(type, () => { isPressed = type === 'pointerdown'; }, { capture: true });
}

/** Replaces the content; the focus stays where it was, and details stay open. */
function draw(nodes) {
  const content = byID('content');
  const active = document.activeElement;
  const focused = content.contains(active) ? keyOf(active) : null;
  const scrolled = [...content.querySelectorAll('.table')].map(({ scrollLeft }) => scrollLeft);
  const open = [...content.querySelectorAll('details[data-key][open]')].map(({ dataset }) => dataset.key);
  content.replaceChildren(...nodes.filter(Boolean));
  for (const details of content.querySelectorAll('details[data-key]')) details.open = open.includes(details.dataset.key);
  content.querySelectorAll('.table').forEach((table, index) => { table.scrollLeft = scrolled[index] ?? 0; });
  if (focused && document.activeElement !== active) {
    const same = [...content.querySelectorAll('a, button, summary, [tabindex="0"]')].find((one) => keyOf(one) === focused);
    (same ?? byID('main')).focus({ preventScroll: true });
  }
}

/** What an element is called, to find it again when it was drawn again. */
const keyOf = (element) => element.closest('[data-key]')?.dataset.key ?? element.getAttribute('href')
  ?? element.getAttribute('aria-label') ?? element.textContent;

function failure(error, context) {
  return el('div', { class: 'empty', role: 'alert' },
    el('h2', {}, error.title ?? texts.noResponse), el('p', {}, error.message),
    ...(error.errors ?? []).map(({ field, expected, actual }) => el('p', {}, `${field}: expected ${expected}, got ${actual}.`)),
    error.requestID && el('p', { class: 'quiet' }, `Request ID: ${error.requestID}`),
    el('p', {}, el('button', { type: 'button', onclick: () => context.refresh() }, 'Try again')));
}

/** Asks for an API key until the server accepts it; what is typed on the page stays. */
let signingIn = null;
function signIn() {
  signingIn ??= new Promise((resolve) => {
    const dialog = byID('sign-in');
    let signedIn = null;
    dialog.querySelector('[name=key]').value = '';
    openForm(dialog, async (_, form) => {
      const field = dialog.querySelector('[name=key]');
      signedIn = await call('POST', '/console/session', { body: { key: form.get('key').trim() }, signsIn: false });
      field.value = '';
      return true;
    });
    // There is nothing behind it that could be used. A browser may close it at Escape nevertheless.
    dialog.oncancel = (event) => event.preventDefault();
    dialog.onclose = () => {
      if (!signedIn) return dialog.showModal();
      session = signedIn;
      signingIn = null;
      return resolve();
    };
  });
  return signingIn;
}

async function signOut() {
  await call('DELETE', '/console/session', { signsIn: false });
  location.assign('/console');
}

/** Shows the menu, and the apps, that the key of the session may use. */
async function showMenu() {
  byID('user').hidden = false;
  byID('user-name').textContent = session.name;
  const apps = await listApps();
  const { app } = place();
  const all = app && !apps.includes(app) ? [...apps, app] : apps;
  byID('app').replaceChildren(...all.map((id) => el('option', { value: id }, id)));
  byID('app').value = app ?? '';
  byID('pages').replaceChildren(el('ul', {}, ...pages.filter(({ isListed, ...page }) => isListed !== false && allows(page))
    .map(({ name, title }) => el('li', {}, el('a', { href: address(name), 'data-page': name }, title)))));
  return all;
}

async function listApps() {
  if (session.app) return [session.app];
  if (!allows({ scopes: ['read'] })) return [];
  const ids = [];
  let cursor;
  do {
    const list = await get(`/v1/apps?limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
    ids.push(...list.apps.map(({ id }) => id));
    cursor = list.nextCursor;
  } while (cursor);
  return ids;
}

async function begin() {
  try {
    await open();
  } catch (error) {
    draw([failure(error, { refresh: begin })]);
  }
}

async function open() {
  if (!isSecureContext) return draw([el('p', { class: 'empty' }, texts.insecure)]);
  try {
    session = await call('GET', '/console/session', { signsIn: false });
  } catch (error) {
    if (error.status !== 401) throw error;
    await signIn();
  }
  const apps = await showMenu();
  if (!place().app && apps.length > 0) {
    history.replaceState(null, '', `/console?${new URLSearchParams({ ...place(), app: apps[0] })}`);
  }
  start(show);
  await show();
}

/** Asks for the app if the key may not list the apps. */
const askForApp = () => el('form', {
  class: 'controls',
  onsubmit: (event) => {
    event.preventDefault();
    go(`/console?${new URLSearchParams({ ...place(), app: new FormData(event.target).get('app').trim() })}`);
    showMenu();
  },
}, el('label', {}, 'Bundle ID of the app ', el('input', { name: 'app', required: true, autocomplete: 'off' })),
el('button', {}, 'Show'));

byID('app').addEventListener('change', ({ target }) => {
  const { page } = place();
  const list = pages.find(({ name }) => name === page)?.list ?? page;
  go(`/console?${new URLSearchParams({ app: target.value, ...list && { page: list } })}`);
});
byID('sign-out').addEventListener('click', () => report(signOut()));
addEventListener('visibilitychange', () => document.hidden || shown.again?.());
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, dialog');
  if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  focusesInput = true;
  go(address('devices'));
});
setInterval(async () => {
  if (document.hidden || !session) return;
  try {
    session = await call('GET', '/console/session');
  } catch {
    // The page shows that the server does not respond.
  }
}, renewal);
onSignedOut(async () => {
  await signIn();
  await showMenu();
});
begin();
