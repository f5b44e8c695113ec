"use strict";
// The one way text gets into the page: as text, never as markup.

function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const find = (selector) => document.querySelector(selector);
const whole = (number) => Math.round(number).toLocaleString("en-US");

function short(number) {
  if (number < 1e4) return whole(number);
  return number < 1e6 ? (number / 1e3).toFixed(number < 1e5 ? 1 : 0) + " k" : (number / 1e6).toFixed(2) + " M";
}

function listed(names, most = 8) {
  const rest = names.length - most;
  return names.slice(0, most).map((name) => "  " + name).join("\n") + (rest > 0 ? `\n  and ${rest} more` : "");
}

function tip(event, text) {
  const box = find("#tip");
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const right = event.clientX + 16 + box.offsetWidth > innerWidth;
  const below = event.clientY + 16 + box.offsetHeight > innerHeight;
  box.style.left = Math.max(4, event.clientX + (right ? -12 - box.offsetWidth : 16)) + "px";
  box.style.top = Math.max(4, event.clientY + (below ? -12 - box.offsetHeight : 16)) + "px";
}
