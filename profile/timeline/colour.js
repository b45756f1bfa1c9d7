// Colours. An operator's comes from its name, so that it is the same in every run; the next free one is taken where two names
// meet, in alphabetical order, and by the operators that took longest before others. They were chosen for the greatest least
// distance in CIELAB, from each other and from the colour of failures, as seen with normal vision, deuteranopia and protanopia
// (Machado et al., 2009), and are in an order in which those next to each other differ most. Bars carry names besides.
const palette = [
  "#00aacc", "#bb9955", "#2266dd", "#aa6688", "#dd8811", "#00aaff", "#dd8888",
  "#aaee77", "#bb4400", "#aaddff", "#3366aa", "#007744", "#ffccaa", "#eedd44",
];

// isWaitName says of each name whether only callers that waited have it; these are grey.
const isWaitName = data.names.map(() => true);
for (let i = 0; i < count; i++) if (!isWait[i]) isWaitName[nameOf[i]] = false;

function hash(text) {
  let h = 0x811c9dc5; // FNV-1a
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return h;
}

const colourOf = new Array(data.names.length).fill(palette[0]);
{
  const taken = new Set();
  const longest = new Set((data.rows || []).map((row) => data.names.indexOf(row.Name)).filter((i) => !isWaitName[i]).slice(0, palette.length));
  const alphabetical = data.names.map((_, i) => i).filter((i) => !isWaitName[i]).sort((a, b) => (data.names[a] < data.names[b] ? -1 : 1));
  for (const i of [...alphabetical.filter((i) => longest.has(i)), ...alphabetical.filter((i) => !longest.has(i))]) {
    let slot = hash(data.names[i]) % palette.length;
    while (taken.has(slot)) slot = (slot + 1) % palette.length;
    taken.add(slot);
    if (taken.size === palette.length) taken.clear(); // the others share
    colourOf[i] = palette[slot];
  }
}

// onColour is what text is readable on each colour.
const onColour = Object.fromEntries(palette.map((colour) => {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return [colour, 0.299 * r + 0.587 * g + 0.114 * b > 110 ? "#10141b" : "#ffffff"];
}));

// theme holds the colours of the style sheet for the canvas.
const theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["page", "panel", "stripe", "line", "text", "faint", "accent", "wait", "failed", "before", "after", "chain"]) {
    theme[name] = style.getPropertyValue("--" + name).trim();
  }
}

const fillOf = (i) => (isWait[i] ? theme.wait : colourOf[nameOf[i]]);
const textOn = (i) => (isWait[i] ? theme.text : onColour[colourOf[nameOf[i]]]);

