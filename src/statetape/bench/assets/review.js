"use strict";
// Text of a session is untrusted: it gets into the page as text, never as markup.

const find = (selector) => document.querySelector(selector);
const HELD = [["n", "needed"], ["s", "stale"], ["p", "superseded"], ["f", "finished"]];
const REGION = [["n", "needed"], ["x", "unneeded", "not needed"]];
let current = null;
let standing = null;
let busy = false;

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

async function asked(path, sent) {
  const settings = sent ? { method: "POST", body: JSON.stringify(sent) } : {};
  const response = await fetch(path, settings);
  const found = await response.json();
  if (!response.ok) throw new Error(found.problem);
  return found;
}

// One thing after another: a key that is pressed meanwhile is none.
async function alone(work) {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await work();
    find("#problem").hidden = true;
  } catch (error) {
    find("#problem").textContent = `Not done: ${error.message}`;
    find("#problem").hidden = false;
  } finally {
    busy = false;
    document.body.removeAttribute("aria-busy");
  }
}

async function go(place) {
  progress();
  if (place === null) {
    current = null;
    draw();
    return;
  }
  current = await asked(`case?${place}`);
  draw();
}

function answer(given) {
  if (!current) return;
  alone(async () => {
    standing = await asked("answer", { case: current.name, answer: given });
    await go(standing.next);
  });
}

function undo() {
  if (!standing || standing.last === null) return;
  alone(async () => {
    const last = await asked(`case?${standing.last}`);
    standing = await asked("answer", { case: last.name, answer: null });
    await go(last.place);
  });
}

function browse(by) {
  if (!standing || !standing.cases) return;
  const at = current ? current.place : standing.cases;
  alone(() => go(Math.min(Math.max(at + by, 0), standing.cases - 1)));
}

function choices() {
  if (!current) return [];
  const named = current.kind === "held" ? HELD : REGION;
  const others = named.filter(([, name]) => name !== current.label);
  return [["c", current.label, "confirm"], ...others, ["k", "skip"]];
}

function progress() {
  find("#progress").textContent = `${standing.answered} of ${standing.cases} answered`;
  find("#bar").max = standing.cases || 1;
  find("#bar").value = standing.answered;
}

function button(key, name, words, act, disabled) {
  const kind = words === "confirm" ? "confirm" : name;
  const made = element("button", { type: "button", class: kind }, element("kbd", {}, key), words || name);
  made.disabled = disabled;
  made.addEventListener("click", act);
  return made;
}

// Rows of the record's text; those that its file does not have in these lines are marked.
function rows() {
  const there = current.now === null ? null : new Set(current.now.split("\n").map(plain));
  return current.text.split("\n").map((row) => {
    const off = there && plain(row) && !there.has(plain(row));
    return element("span", off ? { class: "off" } : {}, row + "\n");
  });
}

const plain = (row) => row.replace(/^>?\s*\d+(→|\t|: ?|\| ?|  )/, "").trim();

function draw() {
  const none = current === null;
  find("#case").hidden = none;
  find("#done").hidden = !none || !standing.cases;
  find("footer p").hidden = none;
  const buttons = choices().map(([key, name, words]) => button(key, name, words, () => answer(name), false));
  find("#answers").replaceChildren(...buttons, button("u", "undo", "undo", undo, standing.last === null));
  if (none) return;
  find("#label").textContent = current.label;
  find("#label").className = current.label;
  find("#answered").textContent = current.answer ? `; you said ${current.answer.replace("unneeded", "not needed")}` : "";
  find("#place").textContent = `${current.place + 1}. ${current.place_words}`;
  find("#title").textContent = current.title;
  find("#about").replaceChildren(
    ...current.about.map(([name, words]) => element("div", {}, element("dt", {}, name), element("dd", {}, words))),
  );
  find("#text-head").textContent = current.kind === "held" ? "What the agent holds" : "What it needs, and around it";
  find("#text").replaceChildren(...rows());
  find("#text").scrollTop = 0;
  find("#now").textContent = current.now || "";
  find("#now").scrollTop = 0;
  find("#off").hidden = !find("#text .off");
  find("#now-part").hidden = current.now === null;
  find("#texts").classList.toggle("single", current.now === null);
  find("#after").replaceChildren(...current.after.flatMap((step) => [
    element("h4", {}, `${step.step}  ${step.title}`),
    element("pre", {}, step.input),
  ]));
  if (!current.after.length) find("#after").textContent = "Nothing more.";
  find("#before").replaceChildren(...current.before.map((words) => element("li", {}, words)));
  scrollTo(0, 0);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  const chosen = choices().find(([own]) => own === key);
  if (chosen) answer(chosen[1]);
  else if (key === "u") undo();
  else if (event.target.tagName === "PRE") return; // there the arrows scroll
  else if (key === "arrowleft") browse(-1);
  else if (key === "arrowright") browse(1);
  else return;
  event.preventDefault();
});

alone(async () => {
  standing = await asked("standing");
  await go(standing.next);
});
