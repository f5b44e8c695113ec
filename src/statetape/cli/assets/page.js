// Puts one session on the page; a session's data is parsed when it is picked.

const sources = [...document.querySelectorAll("script.session")];
const index = JSON.parse(find("#index").textContent);
let session, all = [];

function pick(number) {
  session = JSON.parse(sources[number].textContent);
  const figures = index[number];
  find("#about").textContent = [figures.agent, figures.agent_versions.join(", "), figures.models.join(", "), figures.file, `policy ${figures.policy}`].filter(Boolean).join(" · ");
  find("#figures").replaceChildren(...tiles(figures).map(([name, value]) => element("li", {}, element("b", {}, value), element("span", {}, name))));
  const problems = find("#problems");
  problems.hidden = !figures.problems.length;
  problems.children[0].textContent = `Problems (${figures.problems.length})`;
  problems.children[1].replaceChildren(...figures.problems.map((line) => element("li", {}, line)));
  chart(session);
  all = rows(session);
  find("#records").replaceChildren(...all.map((row) => row.node), element("div", { class: "empty" }, "No record matches."));
  kinds();
  filter();
}

function tiles({ steps, writes, external_writes, requests, records, stale_reads, nominations, tokens, check }) {
  const cut = (now, was) => was ? `${short(was)} → ${short(now)}` : short(now);
  const found = [
    ["requests", whole(requests)],
    ["steps", whole(Object.values(steps).reduce((sum, n) => sum + n, 0))],
    ["records", whole(records)],
    [`writes, ${whole(external_writes)} by another hand`, whole(writes)],
    ["reads gone stale", whole(stale_reads)],
    ["nominations", whole(nominations)],
    ["tokens sent", cut(tokens.sent_policy, tokens.sent_control)],
    ["stale tokens sent", cut(tokens.stale_sent_policy, tokens.stale_sent_control)],
    ["most held at once", short(tokens.held_peak)],
  ];
  if (check) found.push([`oracle: misses in ${whole(check.held_reads)} held reads`, whole(check.misses)]);
  return found;
}

function kinds() {
  const counts = new Map();
  for (const { record } of all) counts.set(record.kind, (counts.get(record.kind) ?? 0) + 1);
  find("#kinds").replaceChildren(...[...counts].sort().map(([kind, count]) => {
    const box = element("input", { type: "checkbox", value: kind });
    box.checked = true;
    return element("label", {}, box, ` ${kind.replace("_", " ")} ${count}`);
  }));
}

function filter() {
  const words = find("#filters input[type=search]").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = new Set([...document.querySelectorAll("#kinds input:checked")].map((box) => box.value));
  const only = find("#changed").checked, inputs = find("#inputs").checked;
  let shown = 0;
  for (const row of all) {
    const fits = wanted.has(row.record.kind) && (row.stale || !only) && (inputs || row.record.side !== "input") &&
      words.every((word) => row.words.includes(word));
    row.node.hidden = !fits;
    shown += fits;
  }
  find("#shown").textContent = shown === all.length ? whole(shown) : `${whole(shown)} of ${whole(all.length)}`;
  find(".empty").hidden = shown > 0;
}

legend();
find("#picker").hidden = sources.length < 2;
find("#picker select").append(...index.map((figures, i) => element("option", { value: i }, `${figures.agent}: ${figures.file.split("/").pop()}`)));
find("#picker select").addEventListener("change", (event) => pick(Number(event.target.value)));
find("#filters").addEventListener("input", filter);
find("#filters").addEventListener("submit", (event) => event.preventDefault());
new ResizeObserver(() => session && chart(session)).observe(find("#chart"));
if (sources.length) pick(0);
