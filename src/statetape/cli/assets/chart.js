// The context over the requests: each request is one band of the time axis.

const LAYERS = ["fresh", "finished", "ours", "stale"];
const NAMES = {
  fresh: "true, used again later", finished: "true, finished with", ours: "our own additions",
  stale: "stale", control: "without maintenance", "control-stale": "stale without maintenance",
};
const HEIGHT = 300, LEFT = 52, TOP = 8, BOTTOM = 48;

function chart(session) {
  const place = find("#chart"), moments = session.moments;
  if (!moments.length) return place.replaceChildren("No request was sent in this session.");
  const width = Math.max(320, place.clientWidth), count = moments.length;
  const floor = HEIGHT - BOTTOM;
  const peak = Math.max(1, ...moments.map((m) => Math.max(m.control, policyTotal(m))));
  const x = (request) => LEFT + (width - LEFT - 8) * request / count;
  const y = (tokens) => floor - (floor - TOP) * tokens / peak;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: "img", "aria-label": "Tokens held, by state, over the requests" });
  for (const tokens of ticks(peak, 5)) {
    svg.append(drawn("line", { class: "grid", x1: LEFT, x2: width - 8, y1: y(tokens), y2: y(tokens) }),
      drawn("text", { x: LEFT - 8, y: y(tokens) + 4, "text-anchor": "end" }, short(tokens)));
  }
  for (const request of ticks(count, width / 110)) {
    svg.append(drawn("text", { x: x(request), y: HEIGHT - 6, "text-anchor": "middle" }, request ? whole(request) : "request"));
  }
  let base = moments.map(() => 0);
  for (const layer of LAYERS) {
    const top = moments.map((m, i) => base[i] + m[layer]);
    const there = stairs(top, x, y), back = stairs(base, x, y).reverse();
    svg.append(drawn("path", { class: layer, d: "M" + [...there, ...back].join("L") + "Z" }));
    base = top;
  }
  for (const [name, values] of [["control", moments.map((m) => m.control)], ["control-stale", moments.map((m) => m.control_stale)]]) {
    svg.append(drawn("path", { class: name, d: "M" + stairs(values, x, y).join("L") }));
  }
  const cursor = drawn("line", { class: "cursor", y1: TOP, y2: floor, visibility: "hidden" });
  svg.append(cursor, ...session.writes.map((write) => mark(write, x(requestAfter(moments, write.step)), floor + 15)));
  svg.addEventListener("pointermove", (event) => {
    if (event.target.classList.contains("mark")) return;
    const at = (event.clientX - svg.getBoundingClientRect().left - LEFT) / (width - LEFT - 8) * count;
    const moment = moments[Math.floor(at)];
    cursor.setAttribute("visibility", moment ? "visible" : "hidden");
    if (moment) cursor.setAttribute("x1", x(at)), cursor.setAttribute("x2", x(at));
    tip(event, moment && described(moment));
  });
  svg.addEventListener("pointerleave", (event) => { cursor.setAttribute("visibility", "hidden"); tip(event, ""); });
  place.replaceChildren(svg);
}

const policyTotal = (moment) => LAYERS.reduce((sum, layer) => sum + moment[layer], 0);

function stairs(values, x, y) {
  return values.flatMap((value, i) => [`${x(i).toFixed(1)},${y(value).toFixed(1)}`, `${x(i + 1).toFixed(1)},${y(value).toFixed(1)}`]);
}

function ticks(most, about) {
  const rough = most / Math.max(1, about), power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].find((n) => n * power >= rough) * power);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

function requestAfter(moments, step) {
  const index = moments.findIndex((moment) => moment.step > step);
  return index < 0 ? moments.length : index;
}

function shape(hand, x, y) {
  const at = `translate(${x} ${y})`;
  if (hand === "external") return drawn("path", { class: "mark external", d: "M0-7L6 0L0 7L-6 0Z", transform: at });
  if (hand === "shell") return drawn("rect", { class: "mark shell", x: -4, y: -4, width: 8, height: 8, transform: at });
  return drawn("path", { class: "mark agent", d: "M0-6L5 5L-5 5Z", transform: at });
}

function mark(write, x, y) {
  const node = shape(write.hand, x, y);
  const parts = ["body", "dispatch", "created"].filter((part) => write[part].length);
  const text = `write ${write.tick}, step ${write.step}: ${write.path}\nby ${write.hand}: ${write.why}` +
    parts.map((part) => `\n${part}\n${listed(write[part])}`).join("");
  node.addEventListener("pointermove", (event) => tip(event, text));
  return node;
}

function described(moment) {
  const lines = LAYERS.map((layer) => `${whole(moment[layer])}  ${NAMES[layer]}`);
  return [`request ${moment.request}, step ${moment.step}`, ...lines, `${whole(policyTotal(moment))}  in all`,
    `${whole(moment.control)}  ${NAMES.control}`, `${whole(moment.control_stale)}  ${NAMES["control-stale"]}`].join("\n");
}

function legend() {
  const item = (picture, words) => element("li", {}, drawn("svg", { viewBox: "0 0 16 12" }, picture), words);
  find("#legend").replaceChildren(
    ...LAYERS.map((layer) => item(drawn("rect", { class: layer, width: 16, height: 12, rx: 2 }), NAMES[layer])),
    ...["control", "control-stale"].map((name) => item(drawn("path", { class: name, d: "M0 6H16" }), NAMES[name])),
    ...["agent", "shell", "external"].map((hand) => item(shape(hand, 8, 6), `write by ${hand === "external" ? "another hand" : "the " + hand}`)));
}
