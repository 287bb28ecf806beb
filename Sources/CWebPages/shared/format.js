// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

const numbers = new Intl.NumberFormat();
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export const number = (value) => numbers.format(value);
export const moment = (date) => moments.format(date);
export const time = (date) => times.format(date);

/** "1 device", "2 devices". */
export const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

export const disconnected = (since) => `Disconnected since ${time(since)}. Reconnecting…`;
