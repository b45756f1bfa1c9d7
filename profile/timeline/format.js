// Numbers with units, to three digits.
function threeDigits(value) {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

function scaled(value, units) {
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return (unit ? threeDigits(value) : value.toFixed(0)) + " " + units[unit];
}

function formatDuration(ns) {
  return ns < 0 ? "−" + formatDuration(-ns) : scaled(ns, ["ns", "µs", "ms", "s"]);
}

// formatRate returns billions per second.
const formatRate = (perSecond) => (perSecond < 5e6 ? "<0.01" : threeDigits(perSecond / 1e9));
const formatBytes = (n) => scaled(n, ["B", "kB", "MB", "GB", "TB", "PB"]);
const formatWork = (n) => scaled(n, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"]);
const formatCount = (n) => n.toLocaleString("en-US");
const plural = (n, what) => formatCount(n) + " " + what + (n === 1 ? "" : "s");

// formatTime returns a time since the first start, as exact as a distance of step needs.
function formatTime(ns, step) {
  const units = [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]];
  let unit = 0;
  while (unit < 3 && Math.max(Math.abs(ns), step) >= units[unit + 1][1]) unit++;
  const decimals = Math.max(0, Math.ceil(Math.log10(units[unit][1] / step) - 1e-9));
  return (ns / units[unit][1]).toFixed(Math.min(decimals, 9)) + " " + units[unit][0];
}

