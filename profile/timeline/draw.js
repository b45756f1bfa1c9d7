// Drawing.
const faintness = 0.15; // of what is not emphasised

function draw() {
  paper.globalAlpha = 1;
  paper.fillStyle = theme.page;
  paper.fillRect(0, 0, view.width, view.height);
  paper.save();
  paper.beginPath();
  paper.rect(view.gutter, axisHeight, view.width - view.gutter, view.height - axisHeight - footHeight);
  paper.clip();
  const first = Math.max(0, Math.floor(view.top / view.row));
  const last = Math.min(trackCount - 1, Math.ceil((view.top + view.height) / view.row));
  for (let track = first; track <= last; track++) {
    if (track % 2) {
      paper.fillStyle = theme.stripe;
      paper.fillRect(view.gutter, yOf(track), view.width, view.row);
    }
  }
  const ticks = count ? tickTimes() : { step: 1, times: [] };
  paper.strokeStyle = theme.line;
  paper.lineWidth = 1;
  paper.beginPath();
  for (const time of ticks.times) line(Math.round(xOf(time)) + 0.5, axisHeight, Math.round(xOf(time)) + 0.5, view.height);
  paper.stroke();
  for (let track = first; track <= last; track++) drawTrack(track);
  drawRelations();
  paper.restore();
  drawAxis(ticks);
  drawLanes(first, last);
  drawPosition();
}

function line(x0, y0, x1, y1) {
  paper.moveTo(x0, y0);
  paper.lineTo(x1, y1);
}

// drawTrack draws a bar for each record. Records narrower than a pixel share one: as opaque as they are busy in it, with the
// colour of the longest; emphasised ones are drawn whole, over the others.
function drawTrack(track) {
  const list = onTrack[track], y = yOf(track) + 2, height = view.row - 4, scale = perPixel();
  const marks = [], found = [];
  let cell = -1, busy = 0, longest = -1, bright = false;
  const flush = () => {
    if (longest < 0) return;
    if (dimming && bright) {
      found.push(cell, longest);
    } else {
      paper.globalAlpha = (0.3 + 0.7 * Math.min(1, busy / scale)) * (dimming ? faintness : 1);
      paper.fillStyle = fillOf(longest);
      paper.fillRect(cell, y, 1, height);
    }
    longest = -1;
  };
  for (let k = firstEndingAfter(list, view.from - scale); k < list.length; k++) {
    const i = list[k];
    if (start[i] > view.to) break;
    if (state[i] !== OK) marks.push(i);
    if (duration[i] >= 1.5 * scale) {
      flush();
      drawBar(i, y, height);
      continue;
    }
    const pixel = Math.floor(xOf(start[i]));
    if (pixel !== cell || longest < 0) {
      flush();
      cell = pixel;
      busy = 0;
      bright = false;
    }
    busy += duration[i];
    if (longest < 0 || (emphasised[i] && !bright) || (duration[i] > duration[longest] && (emphasised[i] || !bright))) longest = i;
    bright = bright || emphasised[i] === 1;
  }
  flush();
  paper.globalAlpha = 1;
  for (let k = 0; k < found.length; k += 2) {
    paper.fillStyle = fillOf(found[k + 1]);
    paper.fillRect(found[k] - 0.5, y, 2, height);
  }
  let taken = -Infinity;
  for (const i of marks) {
    const x = Math.max(xOf(start[i]), view.gutter);
    if (x - taken < 5) continue;
    taken = x;
    drawMark(i, x, y, height);
  }
}

// drawBar draws a record wide enough for a rectangle: hatched in the colour of failures if it failed, and only outlined if it
// was skipped.
function drawBar(i, y, height) {
  const x0 = Math.max(xOf(start[i]), view.gutter - 2), x1 = Math.min(xOf(end[i]), view.width + 2);
  const gap = x1 - x0 > 4 ? 1 : 0;
  const width = x1 - x0 - gap;
  paper.globalAlpha = dimming && !emphasised[i] ? faintness : 1;
  paper.fillStyle = paper.strokeStyle = fillOf(i);
  paper.lineWidth = 1.5;
  if (state[i] === SKIPPED) {
    paper.setLineDash([4, 3]);
    paper.strokeRect(x0 + 0.75, y + 0.75, Math.max(width - 1.5, 0.5), height - 1.5);
    paper.setLineDash([]);
  } else {
    paper.fillRect(x0, y, width, height);
  }
  if (state[i] === FAILED) hatch(x0, y, width, height);
  const inset = state[i] === OK ? 4 : 18;
  if (width > inset + 14) label(i, x0 + inset, y + height / 2, width - inset - 4);
}

function hatch(x, y, width, height) {
  paper.save();
  paper.beginPath();
  paper.rect(x, y, width, height);
  paper.clip();
  paper.beginPath();
  for (let at = x - height; at < x + width; at += 9) line(at, y + height, at + height, y);
  for (const [colour, thickness] of [[theme.page, 4], [theme.failed, 2]]) {
    paper.strokeStyle = colour;
    paper.lineWidth = thickness;
    paper.stroke();
  }
  paper.lineWidth = 4;
  paper.strokeRect(x, y, width, height);
  paper.restore();
}

function label(i, x, y, room) {
  paper.font = (isWait[i] ? "italic " : "") + "11.5px " + font;
  paper.textBaseline = "middle";
  paper.textAlign = "left";
  const text = fitted(data.names[nameOf[i]], room);
  if (!text) return;
  if (state[i] === FAILED) {
    paper.fillStyle = fillOf(i);
    paper.fillRect(x - 2, y - 7, paper.measureText(text).width + 4, 14);
  }
  paper.fillStyle = state[i] === SKIPPED ? theme.text : textOn(i);
  paper.fillText(text, x, y + 0.5);
}

// fitted returns as much of text as there is room for; nothing if that is less than two letters.
const widths = new Map();
function fitted(text, room) {
  const key = paper.font + text;
  if (!widths.has(key)) widths.set(key, paper.measureText(text).width);
  const width = widths.get(key);
  if (width <= room) return text;
  const letters = Math.floor((text.length * (room - 8)) / width);
  return letters < 2 ? "" : text.slice(0, letters) + "…";
}

// drawMark draws the sign of a failure, a cross, or of a skipped operation, a circle with a stroke.
function drawMark(i, x, y, height) {
  const size = Math.min(4.5, height / 2 - 2), middle = y + height / 2, centre = x + size + 4;
  paper.globalAlpha = dimming && !emphasised[i] ? 0.45 : 1;
  paper.beginPath();
  paper.arc(centre, middle, size + 2.5, 0, 2 * Math.PI);
  paper.fillStyle = theme.page;
  paper.fill();
  paper.lineWidth = 2;
  paper.strokeStyle = state[i] === FAILED ? theme.failed : theme.text;
  paper.beginPath();
  if (state[i] === FAILED) {
    line(centre - size, middle - size, centre + size, middle + size);
    line(centre - size, middle + size, centre + size, middle - size);
  } else {
    const slant = size * Math.SQRT1_2;
    paper.arc(centre, middle, size, 0, 2 * Math.PI);
    line(centre - slant, middle + slant, centre + slant, middle - slant);
  }
  paper.stroke();
  paper.globalAlpha = 1;
}

