// The records as rows; the texts of one are put into the page when it is opened.

const COLOURS = {
  fresh: "var(--fresh)", finished: "var(--finished)", stale: "var(--stale)", refreshed: "var(--ours)",
  retrieved: "var(--ours)", kept: "var(--fresh)",
  dropped: "var(--gone)", rerun: "var(--gone)", evicted: "var(--gone)", forgotten: "var(--gone)",
};
const DIFFED = 4000;

function rows(session) {
  const last = Math.max(1, session.steps.length);
  return session.records.map((record) => {
    const row = element("summary", { class: "row" },
      element("span", { class: "step" }, String(record.step)),
      element("span", {}, record.side === "added" ? "added" : record.kind.replace("_", " ")),
      element("span", { class: "title" }, record.title + (record.side === "input" ? "  (input)" : "")),
      element("span", { class: "tokens" }, tokens(record)),
      bar(record, last));
    row.children[2].title = record.title;
    const node = element("details", { class: "record" }, row);
    node.addEventListener("toggle", () => {
      if (node.open && !node.children[1]) node.append(body(record));
    });
    const because = record.life.flatMap(([, , because]) => because);
    const stale = record.life.some(([, state]) => state === "stale");
    return { node, record, stale, words: [record.title, record.id, ...because].join("\n").toLowerCase() };
  });
}

function tokens(record) {
  if (record.tokens_now === record.tokens) return whole(record.tokens);
  return `${short(record.tokens)} → ${short(record.tokens_now)}`;
}

// A stretch of the life: from a step (0 to last) to the next, in one state.
function stretches(record, last) {
  const found = [];
  record.life.forEach(([step, state], i) => {
    const end = i + 1 < record.life.length ? record.life[i + 1][0] : last;
    const used = Math.min(end, Math.max(step, record.last_use + 1));
    if (state === "fresh") found.push([step, used, "fresh"], [used, end, "finished"]);
    else found.push([step, end, state]);
  });
  return found.filter(([from, to]) => to > from);
}

function bar(record, last) {
  const parts = stretches(record, last), percent = (step) => (100 * step / last).toFixed(2) + "%";
  const stops = parts.map(([from, to, state]) => `${COLOURS[state]} ${percent(from)} ${percent(to)}`);
  const node = element("span", { class: "bar" });
  const turned = record.life.filter(([, state]) => state === "stale").map(([step]) => tick(percent(step)));
  const life = `linear-gradient(90deg, transparent 0 ${percent(record.life[0][0])}, ${stops.join(", ")})`;
  if (parts.length) node.style.background = [...turned, life].join(", ");
  node.title = parts.map(([from, to, state]) => `${state} from step ${from} to ${to}`).join("\n");
  return node;
}

// A record that is maintained at once is stale for no time: a thin line shows it all the same.
function tick(at) {
  return `linear-gradient(90deg, transparent calc(${at} - 1px), var(--stale) 0 calc(${at} + 1px), transparent 0)`;
}

function body(record) {
  const changed = record.now !== null;
  const why = element("ul", {}, ...record.life.map(passage));
  const node = element("div", { class: changed ? "body" : "body single" },
    element("div", { class: "why" }, element("h3", {}, "Life"), why),
    element("div", {}, element("h3", {}, record.side === "added" ? "As it was brought in" : "As the agent received it"), text(record.text, changed ? record.now : null, "minus")));
  if (changed) node.append(element("div", {}, element("h3", {}, "As maintained"), text(record.now, record.text, "plus")));
  return node;
}

function passage([step, state, because]) {
  const patch = element("i");
  patch.style.background = COLOURS[state];
  const written = state === "stale" ? new Set(session.writes.filter((write) => write.step === step).map((write) => write.path)) : [];
  const named = because.map((symbol) => symbol.endsWith("::") ? `${symbol}(outside definitions)` : symbol);
  const reasons = named.length ? named : [...written].map((path) => `a write to ${path}`);
  const reason = state === "kept" ? `: ${because[0]}` : reasons.length ? ` because of ${reasons.join(", ")}` : "";
  return element("li", {}, patch, `step ${step}: ${state}${reason}`);
}

// The text; lines that the other text does not have are marked.
function text(own, other, name) {
  const lines = own.split("\n"), others = other === null ? [] : other.split("\n");
  if (other === null || lines.length + others.length > DIFFED) return element("pre", {}, own);
  const known = new Set(others), parts = [];
  let run = [], marked = false;
  const flush = () => { parts.push(element("span", marked ? { class: name } : {}, run.join("\n"))); run = []; };
  lines.forEach((line, i) => {
    if (known.has(line) === marked && i) flush(), parts.push("\n");
    marked = !known.has(line);
    run.push(line);
  });
  flush();
  return element("pre", {}, ...parts);
}
