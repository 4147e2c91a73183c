// How times, calls and names are written everywhere on the page.

export function callNumber({ turn, index }) {
  return `${turn + 1}.${index + 1}`;
}

export function timeLeft(at, now = Date.now()) {
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
