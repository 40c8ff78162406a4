// The parts of a query as pills, each with a menu of what could be in its place. Python gives {key, wide, disabled, token,
// rows: [{label, pills: [{id, name, title, find, lead, text, problem, add, current, remove, choices: [[text, detail]]}]}]};
// `chosen` is triggered with {row, pill, choice, token, once}. Texts are a stranger's and go in as text only.

const MOST = 200, GAP = 6, LOW = 150, HIGH = 420, SOON = 20_000;

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".pills");
  root.pills ??= make(root);
  root.pills.update(data, (chosen) => setTriggerValue("chosen", chosen));
  return () => root.pills.close();
}

function make(root) {
  const part = (name) => root.querySelector("." + name);
  const menu = part("menu"), find = part("find"), list = part("choices"), rows = part("rows");
  let data = null, choose = () => {}, open = null, wasOpen = null, at = 0, shown = [];

  const pills = () => [...rows.querySelectorAll("button.pill")];
  const focused = () => root.getRootNode().activeElement;

  function draw() {
    const kept = focused()?.dataset?.id, place = pills().indexOf(focused());
    rows.classList.toggle("wide", data.wide);
    rows.replaceChildren(...data.rows.map(drawRow));
    if (kept !== undefined) focusOn(kept, place);
  }

  function drawRow(row, number) {
    const line = element("div", "row"), held = element("div", "list");
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", row.label);
    held.append(...row.pills.map((pill, place) => drawPill(pill, number, place)));
    line.append(element("span", "label", row.label), held);
    return line;
  }

  function drawPill(pill, row, place) {
    const menus = pill.choices.length > 0;
    const made = element(menus ? "button" : "span", ["pill", !menus && "fixed", pill.add && "add", pill.add && !pill.text && "bare", pill.problem && "gone"].filter(Boolean).join(" "));
    if (pill.add) made.append(icon("add"));
    if (pill.lead) made.append(element("span", "lead", pill.lead));
    if (pill.text) made.append(element("span", "value", pill.text));
    if (pill.problem) made.title = pill.problem;
    made.dataset.testid = "pill";
    if (!menus) return made;
    if (!pill.add) made.append(icon("keyboard_arrow_down"));
    made.type = "button";
    made.disabled = data.disabled;
    made.dataset.id = pill.id;
    made.setAttribute("aria-label", pill.name + (pill.problem ? ". " + pill.problem : ""));
    made.setAttribute("aria-haspopup", "dialog");
    made.setAttribute("aria-expanded", "false");
    const own = made.own = { pill, row, place, button: made };
    made.onpointerdown = () => { wasOpen = open?.button === made ? made : null; };
    made.onclick = () => { if (wasOpen !== made) show(own); wasOpen = null; };
    made.onkeydown = (event) => pressed(event, own);
    return made;
  }

  function pressed(event, own) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown") show(own);
    else if (["Delete", "Backspace"].includes(event.key) && own.pill.remove >= 0) take(own, own.pill.remove);
    else if (event.key === "+") rows.querySelector("button.pill.add")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function show(own) {
    if (data.disabled) return;
    open = own;
    find.value = "";
    find.placeholder = own.pill.find;
    find.setAttribute("aria-label", own.pill.find);
    menu.setAttribute("aria-label", own.pill.title);
    list.setAttribute("aria-label", own.pill.title);
    part("title").textContent = own.pill.title;
    own.button.setAttribute("aria-expanded", "true");
    lay(own.button.getBoundingClientRect());
    menu.showPopover();
    drawChoices();
    const typed = matchMedia("(pointer: fine)").matches; // a keyboard on the screen would hide the menu
    (typed ? find : part("close")).focus({ preventScroll: true });
  }

  function lay(box) {
    const below = innerHeight - box.bottom - 2 * GAP, above = box.top - 2 * GAP;
    const under = below >= Math.min(HIGH, 260) || below >= above;
    const wide = Math.min(320, innerWidth - 2 * GAP);
    menu.style.left = Math.max(GAP, Math.min(box.left, innerWidth - wide - GAP)) + "px";
    menu.style.top = under ? box.bottom + GAP + "px" : "auto";
    menu.style.bottom = under ? "auto" : innerHeight - box.top + GAP + "px";
    menu.style.maxHeight = Math.max(LOW, Math.min(HIGH, under ? below : above)) + "px";
  }

  function drawChoices() {
    const { pill } = open, words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (texts) => words.every((word) => texts.join(" ").toLowerCase().includes(word));
    const all = pill.choices.map(([text, detail], choice) => ({ text, detail, choice, remove: choice === pill.remove }));
    const current = pill.current ? [{ text: pill.current, detail: "", choice: -1 }] : [];
    const fitting = [...current, ...all.filter((one) => !one.remove), ...all.filter((one) => one.remove)].filter((one) => fits([one.text, one.detail]));
    shown = fitting.slice(0, MOST);
    at = Math.max(0, shown.findIndex((one) => one.choice >= 0 && words.length));
    list.replaceChildren(...shown.map(drawChoice));
    part("none").textContent = !shown.length ? "No matching names." : fitting.length > MOST ? "Type to find more." : "";
    mark();
  }

  function drawChoice(one, place) {
    const line = element("div", "choice" + (one.remove ? " remove" : ""));
    line.id = "choice-" + place;
    line.setAttribute("role", "option");
    line.setAttribute("aria-selected", String(one.choice < 0));
    line.append(icon(one.choice < 0 ? "check" : one.remove ? "remove" : ""), element("span", "text", one.text));
    if (one.remove) { const end = element("span", "end"); end.append(element("kbd", "", "Del")); if (one.detail) line.append(element("span", "", one.detail)); line.append(end); }
    else if (one.detail) line.append(element("span", "end", one.detail));
    line.onclick = () => take(open, one.choice);
    return line;
  }

  function mark() {
    [...list.children].forEach((line, place) => line.classList.toggle("at", place === at));
    const line = list.children[at];
    if (line) { find.setAttribute("aria-activedescendant", line.id); line.scrollIntoView({ block: "nearest" }); }
    else find.removeAttribute("aria-activedescendant");
  }

  function take(own, choice) {
    if (data.disabled) return;
    if (choice >= 0) {
      keep(data.key, own.button.dataset.id, pills().indexOf(own.button));
      choose({ row: own.row, pill: own.place, choice, token: data.token, once: `${Date.now()}-${Math.random()}` });
    }
    if (menu.matches(":popover-open")) menu.hidePopover();
  }

  function focusOn(id, place) {
    const all = pills();
    const wanted = all.find((one) => one.dataset.id === id) ?? all[Math.max(0, Math.min(all.length - 1, place - 1))];
    wanted?.focus({ preventScroll: true });
  }

  find.oninput = drawChoices;
  find.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey) return;
    event.stopPropagation(); // keys typed here are not shortcuts of the page
    const last = shown.length - 1;
    const to = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), PageDown: Math.min(last, at + 8), PageUp: Math.max(0, at - 8) }[event.key];
    if (to !== undefined) { at = to; mark(); }
    else if (event.key === "Enter" && !event.isComposing) { if (shown[at]) take(open, shown[at].choice); }
    else if (event.key === "Escape") menu.hidePopover();
    else if (event.key === "Delete" && !find.value && open.pill.remove >= 0) take(open, open.pill.remove);
    else return;
    event.preventDefault();
  };
  rows.onkeydown = (event) => { // the menu handles Escape itself
    if (event.key !== "Escape" || !data.wide || document.querySelector(".st-key-stop")) return;
    document.querySelector(".st-key-type-instead button")?.click();
    event.stopPropagation();
  };
  part("close").onclick = () => menu.hidePopover();
  menu.addEventListener("toggle", (event) => {
    if (event.newState === "open" || !open) return;
    const { button } = open;
    button.setAttribute("aria-expanded", "false");
    open = null;
    if (!focused() || menu.contains(focused())) button.focus({ preventScroll: true });
  });
  const scrolled = (event) => { if (open && !event.composedPath().includes(menu)) lay(open.button.getBoundingClientRect()); };
  document.addEventListener("scroll", scrolled, { capture: true, passive: true });

  return {
    update(next, choose_) {
      choose = choose_;
      const drawn = JSON.stringify(next);
      if (drawn === this.drawn) return;
      this.drawn = drawn;
      data = next;
      const reading = menu.matches(":popover-open") && open ? { id: open.button.dataset.id, typed: find.value } : null;
      if (reading) menu.hidePopover();
      draw();
      // A menu that was opened while the choice before it was still being drawn stays open, with what was typed in it.
      const again = reading && pills().find((one) => one.dataset.id === reading.id);
      if (again && !data.disabled) { show(again.own); find.value = reading.typed; drawChoices(); return; }
      if (data.disabled || ![null, document.body].includes(document.activeElement)) return;
      const kept = keptFor(data.key);
      if (kept) focusOn(kept.id, kept.place + 1);
      else if (data.wide) pills()[0]?.focus({ preventScroll: true });
    },
    close() { document.removeEventListener("scroll", scrolled, { capture: true }); root.pills = undefined; },
  };
}

// Where the reader was when a choice made the pills go away for a moment. Any key or click elsewhere makes it void.
function keep(key, id, place) {
  const kept = { key, id, place, until: Date.now() + SOON };
  globalThis.anabranchPill = kept;
  const drop = () => { if (globalThis.anabranchPill === kept) globalThis.anabranchPill = null; };
  setTimeout(() => ["pointerdown", "keydown"].forEach((kind) => document.addEventListener(kind, drop, { capture: true, once: true })));
}

function keptFor(key) {
  const kept = globalThis.anabranchPill;
  return kept?.key === key && Date.now() < kept.until ? kept : null;
}

function icon(name) {
  const made = element("span", "icon", name);
  made.setAttribute("aria-hidden", "true");
  return made;
}

function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
