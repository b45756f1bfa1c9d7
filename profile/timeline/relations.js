// What waited for what, and what of it is emphasised.
const dependencyCount = expand(data.dependencies);
const beforeAt = new Int32Array(count + 1); // where in before the list of a record begins
for (let i = 0; i < count; i++) beforeAt[i + 1] = beforeAt[i] + dependencyCount[i];
const before = Int32Array.from(expand(data.dependency, beforeAt[count]));
const afterAt = new Int32Array(count + 1);
const after = new Int32Array(before.length);
for (let i = 0; i < count; i++) {
  for (let k = beforeAt[i]; k < beforeAt[i + 1]; k++) {
    before[k] = i - before[k];
    afterAt[before[k] + 1]++;
  }
}
for (let i = 0; i < count; i++) afterAt[i + 1] += afterAt[i];
{
  const next = afterAt.slice();
  for (let i = 0; i < count; i++) for (let k = beforeAt[i]; k < beforeAt[i + 1]; k++) after[next[before[k]]++] = i;
}

const predecessors = (i) => before.subarray(beforeAt[i], beforeAt[i + 1]);
const successors = (i) => after.subarray(afterAt[i], afterAt[i + 1]);

// chainTo returns the operations of which each made the next ready, up to i.
function chainTo(i) {
  const chain = [];
  for (; i >= 0; i = cause[i] < i ? cause[i] : -1) chain.push(i);
  return chain.reverse();
}

function lastOperation() {
  let last = -1;
  for (let i = 0; i < count; i++) if (!isWait[i] && (last < 0 || end[i] >= end[last])) last = i;
  return last;
}

// shown is what the reader asked for: a selected record or -1, the chain drawn, and the text searched for.
const shown = { selected: -1, chain: [], critical: false, search: "", hover: -1 };
const emphasised = new Uint8Array(count);
let dimming = false;
let matches = [];

function emphasise() {
  emphasised.fill(0);
  const wanted = shown.search.toLowerCase();
  matches = [];
  if (wanted) {
    const named = data.names.map((name) => name.toLowerCase().includes(wanted));
    for (let i = 0; i < count; i++) if (named[nameOf[i]]) matches.push(i);
    matches.sort((a, b) => start[a] - start[b]);
  }
  const related = shown.selected >= 0 || shown.critical;
  dimming = related || wanted !== "";
  if (related) {
    for (const i of shown.chain) emphasised[i] = 1;
  } else {
    for (const i of matches) emphasised[i] = 1;
  }
  if (shown.selected >= 0) {
    emphasised[shown.selected] = 1;
    for (const i of predecessors(shown.selected)) emphasised[i] = 1;
    for (const i of successors(shown.selected)) emphasised[i] = 1;
  }
  redraw();
}

