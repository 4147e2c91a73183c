import { h } from './dom.js';

// How times, calls and names are written everywhere on the page.

const EVERY_MS = 10_000;

export function callNumber({ turn, index }) {
  return `${turn + 1}.${index + 1}`;
}

/** How long there is until a time, which goes on being right while it stands there. */
export function timeLeft(at) {
  return h('span', { 'data-until': at }, leftText(at));
}

export function keepTimesLeft() {
  setInterval(() => {
    for (const element of document.querySelectorAll('[data-until]')) {
      const text = leftText(Number(element.getAttribute('data-until')));
      if (element.textContent !== text) element.textContent = text;
    }
  }, EVERY_MS);
}

function leftText(at, now = Date.now()) {
  const minutes = Math.ceil((at - now) / 60_000);
  if (minutes <= 0) return 'has expired';
  if (minutes < 120) return `expires in ${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `expires in ${hours} h` : `expires in ${Math.floor(hours / 24)} days`;
}

export function when(at) {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

export function requestAddress(runId, requestKey) {
  return `#/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(requestKey)}`;
}

export function runAddress(runId) {
  return `#/runs/${encodeURIComponent(runId)}`;
}
