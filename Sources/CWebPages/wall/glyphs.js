// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/** Outlines in a square of 16 × 16 units. */
const outlines = {
  battery: 'M1.5 5h11v6h-11zM14.5 7v2M3.7 7.2v1.6',
  bellOff: 'M4 11.5h8.6M4.2 11.3c1-1 .9-2 1-4M7.2 3.7c2.5-.5 4.2 1.2 4.3 3.4v2.2M6.8 13.6h2.4M2.5 2.5l11 11',
  camera: 'M2 5h3l1-1.7h4L11 5h3v8H2zM8 6.8a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2z',
  check: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.3 8.2l1.9 1.9 3.6-4',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2 1.4',
  hourglass: 'M4.5 2.5h7M4.5 13.5h7M5.5 2.5c0 3 5 4 5 5.5s-5 2.5-5 5.5M10.5 2.5c0 3-5 4-5 5.5s5 2.5 5 5.5',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  offline: 'M2 6.5a8.5 8.5 0 0 1 2.6-1.8M7.4 4A8.5 8.5 0 0 1 14 6.5M4.3 9a5 5 0 0 1 2.5-1.4M8 13.2v.1M2.5 2.5l11 11',
  online: 'M2 6.5a8.5 8.5 0 0 1 12 0M4.3 9a5.2 5.2 0 0 1 7.4 0M6.6 11.3a2 2 0 0 1 2.8 0M8 13.2v.1',
  open: 'M3 8a5 5 0 0 1 10 0 5 5 0 0 1-10 0M8 5.5v5M5.5 8h5',
  quit: 'M3 3h10v10H3zM6 6l4 4M10 6l-4 4',
  signal: 'M2.5 12v1.5M6.2 9.5v4M9.8 6.5v7M13.5 3v10.5',
  torch: 'M5.5 2h5v2.5L9 6.5V14H7V6.5l-1.5-2z',
  warning: 'M8 2.5 14.3 13.5H1.7zM8 6.5v3M8 11.4v.1',
};

const svg = 'http://www.w3.org/2000/svg';

/** A glyph in the color of the text. It is hidden from assistive technology: a text has to stand beside it. */
export function glyph(name) {
  const image = document.createElementNS(svg, 'svg');
  for (const [key, value] of [['class', `glyph ${name}`], ['viewBox', '0 0 16 16'], ['aria-hidden', 'true']]) {
    image.setAttribute(key, value);
  }
  const path = document.createElementNS(svg, 'path');
  path.setAttribute('d', outlines[name]);
  image.append(path);
  return image;
}
