"use strict";
// The records: typed columns, in the order of their numbers, and for each track the records on it by start.
const data = JSON.parse(document.getElementById("data").textContent);
const count = data.count;
const OK = 0, FAILED = 1, SKIPPED = 2;

// expand undoes the counting of equal numbers in a row.
function expand(list, length = count) {
  const out = new Float64Array(length);
  let at = 0;
  for (const item of list) {
    if (typeof item === "number") {
      out[at++] = item;
    } else {
      out.fill(item[0], at, at + item[1]);
      at += item[1];
    }
  }
  return out;
}

// summed makes numbers of differences.
function summed(list) {
  const out = expand(list);
  for (let i = 1; i < out.length; i++) out[i] += out[i - 1];
  return out;
}

const number = summed(data.number);
const start = summed(data.start);
const duration = expand(data.duration);
const waited = expand(data.waited);
const queued = expand(data.queued);
const bytes = expand(data.bytes);
const work = expand(data.work);
const nameOf = Int32Array.from(expand(data.name));
const laneOf = Int32Array.from(expand(data.lane));
const deviceOf = Int32Array.from(expand(data.device));
const siteOf = Int32Array.from(expand(data.site));
const errorOf = Int32Array.from(expand(data.error));
const trackOf = Int32Array.from(expand(data.track));
const isWait = Uint8Array.from(expand(data.wait));
const cause = Int32Array.from(expand(data.cause), (back, i) => (back ? i - back : -1));
const state = Uint8Array.from(expand(data.skipped), (skipped, i) =>
  skipped ? SKIPPED : data.errors[errorOf[i]] !== "" ? FAILED : OK);
const trackCount = data.tracks ? data.tracks.length : 0;

// Times are shown since the first start.
let origin = Infinity;
for (let i = 0; i < count; i++) origin = Math.min(origin, start[i]);
if (!count) origin = 0;
const end = new Float64Array(count);
let lastEnd = 0;
for (let i = 0; i < count; i++) {
  start[i] -= origin;
  end[i] = start[i] + duration[i];
  lastEnd = Math.max(lastEnd, end[i]);
}

const onTrack = Array.from({ length: trackCount }, () => []);
for (let i = 0; i < count; i++) onTrack[trackOf[i]].push(i);
for (const list of onTrack) list.sort((a, b) => start[a] - start[b] || end[a] - end[b]);

const byNumber = new Map();
for (let i = 0; i < count; i++) if (number[i] && !isWait[i]) byNumber.set(number[i], i);

// firstEndingAfter returns where in the list of a track the first record is that ends after time.
function firstEndingAfter(list, time) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[list[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

