// What the reader does.
function select(i) {
  shown.selected = i;
  shown.critical = false;
  shown.chain = i < 0 ? [] : chainTo(i);
  if (i >= 0) search("", true);
  changed();
}

function search(text, quiet) {
  shown.search = text;
  if (byId("search").value !== text) byId("search").value = text;
  if (quiet) return;
  shown.selected = -1;
  shown.critical = false;
  shown.chain = [];
  changed();
}

function toggleCritical() {
  const on = !shown.critical;
  select(-1);
  search("", true);
  shown.critical = on;
  shown.chain = on ? chainTo(lastOperation()) : [];
  changed();
}

// changed shows what was selected or searched for.
function changed() {
  emphasise();
  writeDetails();
  byId("found").textContent = shown.search ? formatCount(matches.length) + " found" : "";
  byId("critical").setAttribute("aria-pressed", String(shown.critical));
  for (const button of byId("legend").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(shown.search !== "" && button.dataset.name === shown.search));
  }
  const address = shown.selected >= 0 && number[shown.selected] ? "#select=" + number[shown.selected]
    : shown.search ? "#search=" + encodeURIComponent(shown.search) : " ";
  try { history.replaceState(null, "", address === " " ? location.pathname + location.search : address); } catch { /* a page without an address */ }
}

// nextMatch shows the first match that starts after the middle of the view, or the first one.
function nextMatch() {
  if (!matches.length) return;
  const middle = (view.from + view.to) / 2;
  const next = matches.find((i) => start[i] + duration[i] / 2 > middle + perPixel()) ?? matches[0];
  const half = (view.to - view.from) / 2, centre = start[next] + duration[next] / 2;
  show(centre - half, centre + half);
  reveal(next);
}

const pointers = new Map();
let travelled = 0;
const position = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};
const apart = () => {
  const [a, b] = [...pointers.values()];
  return { distance: Math.max(Math.abs(a.x - b.x), 10), x: (a.x + b.x) / 2 };
};

canvas.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, position(event));
  if (pointers.size === 1) travelled = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const at = position(event), from = pointers.get(event.pointerId);
  if (!from) {
    point(at.x, at.y);
    return;
  }
  if (pointers.size === 2) {
    const old = apart();
    pointers.set(event.pointerId, at);
    const now = apart();
    zoom(old.distance / now.distance, now.x);
    travelled = Infinity;
    return;
  }
  travelled += Math.abs(at.x - from.x) + Math.abs(at.y - from.y);
  pointers.set(event.pointerId, at);
  if (travelled < 4) return;
  canvas.classList.add("dragging");
  point(-1, -1);
  move(from.x - at.x, from.y - at.y);
});
const released = (event) => {
  if (!pointers.delete(event.pointerId)) return;
  canvas.classList.remove("dragging");
  const at = position(event);
  if (event.type === "pointerup" && travelled < 4 && !pointers.size) {
    select(hit(at.x, at.y).record);
    point(at.x, at.y);
  }
};
canvas.addEventListener("pointerup", released);
canvas.addEventListener("pointercancel", released);
canvas.addEventListener("pointerleave", () => point(-1, -1));

// mouse is where it points at; outside of the canvas while it drags, is elsewhere, or keys are used.
const mouse = { x: -1, y: -1 };
function point(x, y) {
  if (mouse.x === x && mouse.y === y) return;
  mouse.x = x;
  mouse.y = y;
  redraw();
}

// hover tells what is under the mouse.
function hover() {
  const found = hit(mouse.x, mouse.y);
  shown.hover = found.record;
  canvas.classList.toggle("over", found.record >= 0);
  writeTip(mouse.x, mouse.y, found);
}

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const dx = event.deltaX * unit, dy = event.deltaY * unit;
  if (event.shiftKey) move(0, dx + dy);
  else if (Math.abs(dx) > Math.abs(dy)) move(dx, 0);
  else zoom(Math.exp(Math.min(Math.max(dy, -240), 240) * (event.ctrlKey ? 0.01 : 0.002)), Math.max(position(event).x, view.gutter));
  point(position(event).x, position(event).y);
}, { passive: false });

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === byId("search");
  if (event.key === "Escape") {
    byId("search").blur();
    select(-1);
    search("");
    return;
  }
  if (typing) {
    if (event.key === "Enter") nextMatch();
    return;
  }
  const step = (view.width - view.gutter) / 8, middle = (view.width + view.gutter) / 2;
  const keys = {
    w: () => zoom(0.7, middle), s: () => zoom(1 / 0.7, middle), a: () => move(-step, 0), d: () => move(step, 0),
    ArrowUp: () => (event.shiftKey ? move(0, -view.row * 2) : zoom(0.7, middle)),
    ArrowDown: () => (event.shiftKey ? move(0, view.row * 2) : zoom(1 / 0.7, middle)),
    ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0),
    f: () => shown.selected >= 0 && reveal(shown.selected, true),
    r: showAll, 0: showAll, "/": () => byId("search").focus(),
  };
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  point(-1, -1);
  action();
});

byId("search").addEventListener("input", (event) => search(event.target.value));
byId("critical").addEventListener("click", toggleCritical);
byId("reset").addEventListener("click", showAll);
new ResizeObserver(resize).observe(canvas.parentElement);
addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readTheme(); redraw(); });

// The page begins with what its address asks for.
function begin() {
  readTheme();
  writeFacts();
  writeLegend();
  writeTable();
  resize();
  showAll();
  const asked = new URLSearchParams(location.hash.slice(1));
  const selected = byNumber.get(Number(asked.get("select")));
  const from = parseFloat(asked.get("from")) * 1e6, to = parseFloat(asked.get("to")) * 1e6;
  if (selected !== undefined) {
    select(selected);
    if (!(to > from)) reveal(selected);
  } else {
    search(asked.get("search") || "");
  }
  if (to > from) show(from, to);
}

begin();
