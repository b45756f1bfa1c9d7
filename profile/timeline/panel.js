// What is told in words: facts, legend, table, details, tooltip. Names only ever become text, never markup.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);
const swatch = (colour) => {
  const made = element("span", { className: "swatch" });
  made.style.background = colour;
  return made;
};

function writeFacts() {
  byId("program").textContent = data.program;
  const all = data.all, parts = [plural(all.Count, "operation"), formatDuration(lastEnd)];
  if (all.Failed) parts.push("✕ " + formatCount(all.Failed) + " failed");
  if (all.Skipped) parts.push("⊘ " + formatCount(all.Skipped) + " skipped");
  if (data.dropped) parts.push(plural(data.dropped, "older record") + " no longer kept");
  byId("facts").textContent = parts.join(" · ");
  byId("empty").hidden = count > 0;
}

const colourOfName = new Map(data.names.map((name, i) => [name, isWaitName[i] ? "var(--wait)" : colourOf[i]]));
const rowColour = (row) => colourOfName.get(row.Name) || "transparent";

function writeLegend() {
  const most = palette.length, rows = data.rows || [];
  for (const row of rows.slice(0, most)) {
    const button = element("button", { type: "button", title: row.Name }, swatch(rowColour(row)), row.Name || "(no name)");
    button.dataset.name = row.Name;
    button.setAttribute("aria-pressed", "false");
    button.onclick = () => search(shown.search === row.Name ? "" : row.Name);
    byId("legend").append(button);
  }
  if (rows.length > most) byId("legend").append(element("span", { className: "hint" }, `and ${rows.length - most} more below`));
}

function writeTable() {
  const rate = (perSecond) => (perSecond ? formatRate(perSecond) : "–");
  const cells = (row) => {
    const ran = row.Count > row.Skipped, time = (ns) => (ran ? formatDuration(ns) : "–");
    return [
      formatCount(row.Count), row.Failed ? "✕ " + formatCount(row.Failed) : "0", row.Skipped ? "⊘ " + formatCount(row.Skipped) : "0",
      time(row.Total), time(row.Mean), time(row.P50), time(row.P99), time(row.Max), time(row.Waiting),
      row.Bytes ? formatBytes(row.Bytes) : "–", rate(row.BytesPerSecond), rate(row.WorkPerSecond),
    ];
  };
  const line = (row, ...title) => element("tr", {}, element("td", { title: row.Name }, ...title), ...cells(row).map((cell) => element("td", {
    className: cell.startsWith("✕") ? "failed" : "",
  }, cell)));
  const heads = ["operator", "count", "failed", "skipped", "total", "mean", "p50", "p99", "max", "waiting", "bytes", "GB/s", "GFLOP/s"];
  const body = element("tbody");
  for (const row of data.rows || []) {
    const made = line(row, swatch(rowColour(row)), row.Name || "(no name)");
    made.onclick = () => search(row.Name);
    body.append(made);
  }
  byId("summary").append(
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    body, element("tfoot", {}, line(data.all, "all operations")));
}

// facts returns the pairs of what is known of record i.
function factsOf(i) {
  const pairs = [
    ["lane", data.lanes[laneOf[i]]], ["device", data.devices[deviceOf[i]]],
    ["start", formatTime(start[i], 1)], ["took", formatDuration(duration[i])],
  ];
  if (!isWait[i]) pairs.push(["for inputs", formatDuration(queued[i])], ["for a worker", formatDuration(waited[i])]);
  if (data.sites[siteOf[i]]) pairs.unshift(["line", data.sites[siteOf[i]]]);
  const rate = (amount) => (duration[i] ? ` (${formatRate((amount / duration[i]) * 1e9)} G/s)` : "");
  if (bytes[i]) pairs.push(["memory", formatBytes(bytes[i]) + rate(bytes[i])]);
  if (work[i]) pairs.push(["work", formatWork(work[i]) + rate(work[i])]);
  return element("dl", {}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function titleOf(i) {
  return (data.names[nameOf[i]] || "(no name)") + (number[i] ? " #" + number[i] : "");
}

function troubleOf(i) {
  const lines = [];
  if (state[i] === SKIPPED) lines.push(element("p", { className: "skipped" }, "⊘ skipped: it did not run"));
  if (state[i] === FAILED) lines.push(element("p", { className: "failed" }, "✕ failed"));
  if (data.errors[errorOf[i]]) lines.push(element("p", {}, data.errors[errorOf[i]]));
  return lines;
}

// listOf returns a list of records to select; long ones are cut.
function listOf(records, most = 12) {
  const items = Array.from(records.slice(0, most), (i) => {
    const mark = state[i] === FAILED ? "✕ " : state[i] === SKIPPED ? "⊘ " : "";
    const button = element("button", { type: "button" }, mark + titleOf(i) + " ", element("small", {}, formatDuration(duration[i])));
    button.onclick = () => { select(i); reveal(i); };
    return element("li", {}, button);
  });
  if (records.length > most) items.push(element("li", { className: "hint" }, `and ${formatCount(records.length - most)} more`));
  return element("ul", {}, ...items);
}

function writeDetails() {
  const details = byId("details"), i = shown.selected;
  const heading = (key, text) => element("h3", {}, element("span", { className: "key " + key }), text);
  details.replaceChildren();
  if (i < 0 && !shown.critical) {
    details.append(element("h3", {}, "Nothing selected"), element("p", { className: "hint" },
      "Click an operation to see what it waited for, what waited for it, and the chain of operations that led to it."));
    return;
  }
  if (i >= 0) {
    details.append(element("h3", {}, titleOf(i)), ...troubleOf(i), factsOf(i));
    details.append(heading("before", `Waited for ${formatCount(predecessors(i).length)}`), listOf(predecessors(i)));
    details.append(heading("after", `Waited for it: ${formatCount(successors(i).length)}`), listOf(successors(i)));
  }
  if (shown.chain.length > 1 || shown.critical) {
    let busy = 0;
    for (const link of shown.chain) busy += duration[link];
    const passed = shown.chain.length ? end[shown.chain.at(-1)] - start[shown.chain[0]] : 0;
    details.append(heading("chain", shown.critical ? "Critical path" : "Chain that led to it"),
      element("p", { className: "hint" }, `${plural(shown.chain.length, "operation")} in ${formatDuration(passed)}, of which ${formatDuration(busy)} running; the last:`),
      listOf(shown.chain.slice().reverse()));
  }
}

function writeTip(x, y, found) {
  const tip = byId("tip"), i = found.record;
  tip.hidden = i < 0 || i === shown.selected;
  if (tip.hidden) return;
  tip.replaceChildren(element("strong", {}, titleOf(i)), ...troubleOf(i), factsOf(i));
  if (found.around > 1) tip.append(element("p", { className: "hint" }, `longest of ${formatCount(found.around)} here: zoom in for the others`));
  const left = x + 14 + tip.offsetWidth < view.width ? x + 14 : Math.max(4, x - 14 - tip.offsetWidth);
  const top = Math.min(y + 16, Math.max(4, canvas.clientHeight - tip.offsetHeight - 4));
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

