// Keys for what has no button with a shortcut of its own. Python gives {keys: [[where, key, what it does]]}.

export default function (component) {
  const { parentElement, data } = component;
  const list = parentElement.querySelector(".list");
  if (!list.drawn) { list.drawn = true; draw(list.querySelector(".groups"), data.keys); }

  const field = (event) => event.composedPath()[0].closest?.("input, textarea, select, [contenteditable]");
  const question = () => document.querySelector('.st-key-composer textarea');
  const last = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.offsetParent && !one.disabled).at(-1);
  const seen = (selector) => {
    const all = [...document.querySelectorAll(selector)].filter((one) => one.offsetParent && !one.disabled);
    return all.filter((one) => { const box = one.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; }).at(-1) ?? all.at(-1);
  };

  function pressed(event) {
    if (event.defaultPrevented || event.isComposing) return;
    const typing = field(event), plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    let does;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") does = search;
    else if (event.altKey && !typing && event.key === "ArrowLeft") does = click(seen('[class*="st-key-sibling-1-"] button'));
    else if (event.altKey && !typing && event.key === "ArrowRight") does = click(seen('[class*="st-key-sibling1-"] button'));
    else if (plain && !typing && event.key === "/") does = question() && (() => question().focus());
    else if (plain && !typing && event.key.toLowerCase() === "p") does = click(seen('[class*="st-key-pin-"] button'));
    else if (plain && !typing && event.key === "?") does = () => list.togglePopover();
    else if (plain && event.key === "Escape" && !document.querySelector(".st-key-stop") && !open(event)) does = click(last('.st-key-close-panel button'));
    else if (plain && event.key === "ArrowUp" && typing === question() && typing && !typing.value) does = click(last('[class*="st-key-edit-"] button'));
    else if (!typing && compared()) does = comparing(event, plain);
    if (!does) return;
    event.preventDefault();
    does();
  }
  // What is open above the page closes first: a dialog, a menu, or the popover of a component in its shadow root.
  const open = (event) => document.querySelector(":popover-open, [data-testid=stDialog], [data-testid=stPopoverBody]")
    || event.composedPath().some((one) => one.matches?.(":popover-open"))
    || [...document.querySelectorAll("[class*='st-key-'] *")].some((one) => one.shadowRoot?.querySelector(":popover-open"));
  const click = (button) => button && (() => button.click());
  const compared = () => !document.querySelector("[data-testid=stDialog]") && document.querySelector(".st-key-compare");
  const comparing = (event, plain) => {
    if ("[]".includes(event.key) && (plain || event.getModifierState("AltGraph"))) return () => toDifference(event.key === "]" ? 1 : -1);
    if (plain && /^[0-6]$/.test(event.key)) return click(document.querySelectorAll(".st-key-compare-face button")[Number(event.key)]);
    if (plain && event.key.toLowerCase() === "g") return click(last('[class*="st-key-go-to-"] button'));
  };
  const toDifference = (step) => {
    const all = [...compared().querySelectorAll(".ab-compared tr.changed, .ab-compared tr.added, .ab-compared tr.removed, .st-key-compare-numbers tbody tr, .ab-diff .added, .ab-diff .removed")].filter((one) => one.offsetParent);
    if (!all.length) return;
    const at = all.findIndex((one) => one.hasAttribute("data-here"));
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
    all[at]?.removeAttribute("data-here");
    next.setAttribute("data-here", "");
    next.scrollIntoView({ block: "center" });
  };
  const search = () => {
    const found = document.querySelector(".st-key-search input");
    if (!found?.offsetParent) document.querySelector("[data-testid=stExpandSidebarButton] button, button[data-testid=stExpandSidebarButton]")?.click();
    requestAnimationFrame(() => document.querySelector(".st-key-search input")?.select());
  };

  list.close?.();
  document.addEventListener("keydown", pressed);
  list.close = () => document.removeEventListener("keydown", pressed);
  return () => list.close();
}

function draw(groups, keys) {
  const sections = new Map();
  for (const [where, key, does] of keys) {
    if (!sections.has(where)) {
      const section = document.createElement("section"), title = document.createElement("h3"), rows = document.createElement("dl");
      title.textContent = where;
      section.append(title, rows);
      groups.append(section);
      sections.set(where, rows);
    }
    const name = document.createElement("dt"), what = document.createElement("dd"), mark = document.createElement("kbd");
    mark.textContent = key;
    what.textContent = does;
    name.append(mark);
    sections.get(where).append(name, what);
  }
}
