// The part of the run that the canvas shows.
const canvas = document.getElementById("canvas");
const paper = canvas.getContext("2d");
const font = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
const axisHeight = 26, footHeight = 8;
const view = { from: 0, to: 1, top: 0, width: 0, height: 0, gutter: 0, row: 0 };

const span = Math.max(lastEnd, 100);
const shortest = 20; // nanoseconds across the canvas
const xOf = (time) => view.gutter + ((time - view.from) / (view.to - view.from)) * (view.width - view.gutter);
const timeAt = (x) => view.from + ((x - view.gutter) / (view.width - view.gutter)) * (view.to - view.from);
const yOf = (track) => axisHeight + track * view.row - view.top;
const perPixel = () => (view.to - view.from) / (view.width - view.gutter);

// show makes the canvas show from one time to another, kept within the run and a margin.
function show(from, to) {
  const margin = span * 0.02;
  const length = Math.min(Math.max(to - from, shortest), span + 2 * margin);
  from = Math.min(Math.max((from + to - length) / 2, -margin), span + margin - length);
  view.from = from;
  view.to = from + length;
  redraw();
}

const showAll = () => show(-span * 0.02, span * 1.02);

function zoom(factor, x) {
  const at = timeAt(x);
  const length = Math.min(Math.max((view.to - view.from) * factor, shortest), span * 1.04);
  const left = (at - view.from) / (view.to - view.from);
  show(at - left * length, at + (1 - left) * length);
}

function move(dx, dy) {
  const distance = dx * perPixel();
  scrollTo(view.top + dy);
  show(view.from + distance, view.to + distance);
}

function scrollTo(top) {
  view.top = Math.min(Math.max(top, 0), Math.max(0, trackCount * view.row + axisHeight + footHeight - view.height));
  redraw();
}

// reveal moves the view so that record i is in it, and zooms so that it can be seen.
function reveal(i, close) {
  const y = axisHeight + trackOf[i] * view.row;
  if (y - view.top < axisHeight) scrollTo(y - axisHeight);
  else if (y + view.row - view.top > view.height - footHeight) scrollTo(y + view.row + footHeight - view.height);
  if (close || duration[i] / perPixel() < 3) {
    const room = Math.max(duration[i], 50) * (close ? 3 : 20);
    show(start[i] + duration[i] / 2 - room, start[i] + duration[i] / 2 + room);
  } else if (end[i] < view.from || start[i] > view.to) {
    const half = (view.to - view.from) / 2;
    show(start[i] + duration[i] / 2 - half, start[i] + duration[i] / 2 + half);
  }
}

// resize fits the canvas to its place and the rows to the canvas.
function resize() {
  const width = canvas.parentElement.clientWidth;
  const room = Math.max(240, Math.round(innerHeight * 0.62)) - axisHeight - footHeight;
  view.row = Math.min(Math.max(Math.floor(room / Math.max(trackCount, 1)), 16), 34);
  view.width = width;
  view.height = axisHeight + footHeight + Math.min(room, Math.max(trackCount, 2) * view.row);
  paper.font = "12px " + font;
  let widest = 40;
  for (const name of data.tracks || []) widest = Math.max(widest, paper.measureText(name).width);
  view.gutter = Math.round(Math.min(widest + 16, Math.max(112, width * 0.16)));
  const ratio = devicePixelRatio || 1;
  canvas.style.height = view.height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(view.height * ratio);
  paper.setTransform(ratio, 0, 0, ratio, 0, 0);
  scrollTo(view.top);
}

let drawing = 0;
function redraw() {
  if (!drawing) drawing = requestAnimationFrame(() => { drawing = 0; hover(); draw(); });
}

// hit returns the longest record within a few pixels of a point, -1 if there is none, and how many there are.
function hit(x, y) {
  const track = Math.floor((y - axisHeight + view.top) / view.row);
  if (x < view.gutter || y < axisHeight || track < 0 || track >= trackCount) return { record: -1, around: 0 };
  for (const reach of [0.5, 3]) {
    const from = timeAt(x - reach), to = timeAt(x + reach);
    const list = onTrack[track];
    let record = -1, around = 0;
    for (let k = firstEndingAfter(list, from - 1); k < list.length && start[list[k]] <= to; k++) {
      around++;
      if (record < 0 || duration[list[k]] > duration[record]) record = list[k];
    }
    if (record >= 0) return { record, around };
  }
  return { record: -1, around: 0 };
}

