// What is drawn over and around the bars.

// drawRelations draws what the selected record waited for and what waited for it, and the chain that led to it.
function drawRelations() {
  const drawn = 1500; // arrows at most: more would be a carpet
  drawChain();
  const selected = shown.selected;
  if (selected >= 0) {
    for (const i of successors(selected).subarray(0, drawn)) arrow(selected, i, theme.after, 1.5, [5, 4], 1);
    for (const i of predecessors(selected).subarray(0, drawn)) {
      if (i !== cause[selected]) arrow(i, selected, theme.before, 1.5, [], -1);
    }
  }
  if (shown.hover >= 0) outline(shown.hover, theme.text, 1.5);
  if (selected >= 0) outline(selected, theme.text, 2.5);
}

// drawChain draws the chain with arrows where there is room for them, and else as underlined records and thin connections.
function drawChain() {
  const scale = perPixel(), chain = shown.chain;
  const narrow = (i) => duration[i] < 8 * scale;
  const inView = (i) => end[i] > view.from && start[i] < view.to;
  paper.lineWidth = 1;
  paper.strokeStyle = theme.chain;
  paper.globalAlpha = 0.35;
  paper.beginPath();
  for (let k = 1, drawn = -Infinity; k < chain.length; k++) {
    const from = chain[k - 1], to = chain[k];
    if (narrow(from) && (inView(from) || inView(to)) && start[to] - drawn >= scale) { // one for a pixel
      drawn = start[to];
      line(xOf(end[from]), yOf(trackOf[from]) + view.row / 2, xOf(start[to]), yOf(trackOf[to]) + view.row / 2);
    }
  }
  paper.stroke();
  paper.globalAlpha = 1;
  for (let k = 0; k < chain.length; k++) {
    const i = chain[k];
    if (k > 0 && !narrow(chain[k - 1])) arrow(chain[k - 1], i, theme.chain, 3, [], 0);
    if (!inView(i)) continue;
    if (narrow(i)) {
      paper.fillStyle = theme.chain;
      paper.fillRect(xOf(start[i]) - 0.5, yOf(trackOf[i]) + view.row - 5, Math.max(duration[i] / scale, 1) + 1, 4);
    } else {
      outline(i, theme.chain, 1.5);
    }
  }
}

// arrow draws a curve from the end of one record to the start of another. On one track it bends down, or up if side is negative, so
// that what it leaps over is not taken for part of it.
function arrow(from, to, colour, width, dashes, side) {
  const x0 = xOf(end[from]), x1 = xOf(start[to]);
  if (Math.max(x0, x1) < view.gutter - 50 || Math.min(x0, x1) > view.width + 50) return;
  const y0 = yOf(trackOf[from]) + view.row / 2, y1 = yOf(trackOf[to]) + view.row / 2;
  const bend = Math.min(Math.max(Math.abs(x1 - x0) / 2, 9), 70);
  paper.strokeStyle = paper.fillStyle = colour;
  paper.lineWidth = width;
  paper.setLineDash(dashes);
  paper.beginPath();
  paper.moveTo(x0, y0);
  const leap = trackOf[from] === trackOf[to] ? side * (view.row / 2 - 4) * 4 / 3 : 0;
  paper.bezierCurveTo(x0 + bend, y0 + leap, x1 - bend, y1 + leap, x1, y1);
  paper.stroke();
  paper.setLineDash([]);
  const head = 4 + width;
  paper.beginPath();
  paper.moveTo(x1, y1);
  paper.lineTo(x1 - head, y1 - head * 0.6);
  paper.lineTo(x1 - head, y1 + head * 0.6);
  paper.fill();
}

function outline(i, colour, width) {
  const x0 = xOf(start[i]), x1 = xOf(end[i]);
  if (x1 < view.gutter || x0 > view.width) return;
  paper.strokeStyle = colour;
  paper.lineWidth = width;
  paper.strokeRect(x0 - width / 2, yOf(trackOf[i]) + 2 - width / 2, Math.max(x1 - x0, 2) + width - 1, view.row - 4 + width);
}

// tickTimes returns round times, some 110 pixels from each other.
function tickTimes() {
  const raw = perPixel() * 110;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw));
  const times = [];
  for (let n = Math.ceil(view.from / step); n * step <= view.to; n++) times.push(n * step);
  return { step, times };
}

function drawAxis({ step, times }) {
  paper.fillStyle = theme.panel;
  paper.fillRect(0, 0, view.width, axisHeight);
  paper.fillStyle = theme.faint;
  paper.font = "11.5px " + font;
  paper.textBaseline = "middle";
  paper.textAlign = "center";
  for (const time of times) {
    const text = formatTime(time, step), half = paper.measureText(text).width / 2;
    const x = Math.min(Math.max(xOf(time), view.gutter + half + 3), view.width - half - 3);
    if (Math.abs(x - xOf(time)) < half) paper.fillText(text, x, axisHeight / 2);
  }
}

// drawLanes names the tracks.
function drawLanes(first, last) {
  paper.fillStyle = theme.panel;
  paper.fillRect(0, axisHeight, view.gutter, view.height);
  paper.save();
  paper.beginPath();
  paper.rect(0, axisHeight, view.gutter, view.height - axisHeight - footHeight);
  paper.clip();
  paper.fillStyle = theme.text;
  paper.font = "12px " + font;
  paper.textAlign = "left";
  for (let track = first; track <= last; track++) {
    paper.fillText(fitted(data.tracks[track], view.gutter - 12), 8, yOf(track) + view.row / 2);
  }
  paper.restore();
  paper.strokeStyle = theme.line;
  paper.lineWidth = 1;
  paper.beginPath();
  line(view.gutter - 0.5, 0, view.gutter - 0.5, view.height);
  line(0, axisHeight - 0.5, view.width, axisHeight - 0.5);
  paper.stroke();
}

// drawPosition shows in two bars which part of the run and of the tracks is in view.
function drawPosition() {
  const y = view.height - footHeight, width = view.width - view.gutter;
  paper.fillStyle = theme.panel;
  paper.fillRect(0, y, view.width, footHeight);
  paper.fillStyle = theme.faint;
  const from = Math.max(0, view.from / span), to = Math.min(1, view.to / span);
  paper.fillRect(view.gutter + from * width, y + 2, Math.max((to - from) * width, 4), footHeight - 4);
  const content = trackCount * view.row, seen = view.height - axisHeight - footHeight;
  if (content > seen) {
    paper.fillRect(view.width - 5, axisHeight + (view.top / content) * seen, 3, (seen / content) * seen);
  }
}

