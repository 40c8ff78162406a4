// Lists of names that open above the question: at `@` what the data holds, at `/` at its beginning the commands of tools.
// Python gives {names, commands: [{group, text, where, note, facts: [[name, value]]}]}. Texts go in as textContent only.
// The question is Streamlit's own field: its keys are caught before it hears them, and a choice is written as if typed.

const MOST = 40; // entries that are drawn
const GAP = 8;

export default function (component) {
  const { parentElement, data } = component;
  const list = parentElement.querySelector(".list");
  const before = list.given;
  list.given = data;
  if (list.leave) { list.renew(before); return list.leave; }
  const entries = list.querySelector(".entries"), facts = list.querySelector(".facts"), said = list.querySelector(".said");
  let shown = [], at = 0, token = null, dismissed = "";

  const question = () => document.querySelector(".st-key-composer textarea");
  const isOpen = () => list.matches(":popover-open");

  // What is typed at the caret: `@re` after a space or at the beginning, or `/que` as the very first word.
  function typed(field) {
    const before = field.value.slice(0, field.selectionStart);
    const command = /^\/([\w-]*)$/.exec(before);
    if (command) return { kind: "commands", start: 0, sought: command[1] };
    const name = /(?:^|\s)@([\w.-]*)$/.exec(before);
    return name ? { kind: "names", start: before.length - name[1].length - 1, sought: name[1] } : null;
  }

  function found(kind, sought) {
    const wanted = sought.toLowerCase(), all = list.given[kind];
    const score = (one) => {
      const text = one.text.toLowerCase().replace(/^\//, "");
      return text.startsWith(wanted) ? 0 : text.split(/[\s_.-]+/).some((part) => part.startsWith(wanted)) ? 1 : text.includes(wanted) ? 2 : 3;
    };
    const ranked = all.map((one, place) => [score(one), place, one]).filter(([rank]) => rank < 3);
    const next = (one) => (kind === "commands" ? one[2].text.length : one[1]); // of commands the shortest first
    if (wanted) ranked.sort((a, b) => a[0] - b[0] || next(a) - next(b));
    return { all: ranked.length, first: ranked.slice(0, MOST).map(([, , one]) => one) };
  }

  function look() {
    const field = question();
    token = field && document.activeElement === field ? typed(field) : null;
    const mark = token && `${token.kind}${token.start}`;
    if (!token || mark === dismissed) { if (!token) dismissed = ""; close(); return; }
    const { all, first } = found(token.kind, token.sought);
    const own = token.sought.toLowerCase();
    const none = token.kind === "names" && !token.sought && !list.given.names.length;
    if ((!first.length && !none) || (first.length === 1 && first[0].text.toLowerCase().replace(/^\//, "") === own)) { close(); return; }
    shown = first;
    at = 0;
    said.textContent = none ? "Add a file or a source first. Its names are then listed here." : all > first.length ? `The first ${first.length} of ${all.toLocaleString()}: type more to narrow it down.`
      : token.kind === "names" ? "Only names are inserted. The model reads data through tools." : "Runs without a model.";
    draw();
    const box = field.closest("[data-testid=stChatInput]").getBoundingClientRect();
    list.style.left = box.left + "px";
    list.style.width = box.width + "px";
    list.style.bottom = innerHeight - box.top + GAP + "px";
    if (!isOpen()) list.showPopover();
    field.setAttribute("aria-expanded", "true");
  }

  function draw() {
    let group = "";
    entries.replaceChildren(...shown.flatMap((one, place) => {
      const made = element("div", "entry");
      made.setAttribute("role", "option");
      made.setAttribute("aria-selected", String(place === at));
      made.append(marked(one.text), element("span", "where", one.where), element("span", "note", one.note));
      made.onpointerdown = (event) => { event.preventDefault(); choose(place); };
      made.onpointermove = () => { if (at !== place) { at = place; draw(); } };
      const head = one.group === group ? [] : [element("div", "group", one.group)];
      group = one.group;
      return [...head, made];
    }));
    const one = shown[at];
    facts.hidden = !one;
    facts.replaceChildren(...(one ? factsOf(one) : []));
    entries.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  function factsOf(one) {
    return [element("b", "", one.text), ...one.facts.map(([name, value]) => {
      const line = element("div", "");
      line.append(element("span", "", name), element("span", "", value));
      return line;
    })];
  }

  function marked(text) {
    const made = element("span", "text"), place = text.toLowerCase().indexOf(token.sought.toLowerCase());
    if (!token.sought || place < 0) { made.textContent = text; return made; }
    const end = place + token.sought.length;
    made.append(text.slice(0, place), element("mark", "", text.slice(place, end)), text.slice(end));
    return made;
  }

  function choose(place) {
    const field = question(), one = shown[place];
    if (!field || !token) return;
    const after = field.value.slice(field.selectionStart), space = /^\s/.test(after) ? "" : " ";
    const text = field.value.slice(0, token.start) + one.text + space, setter = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
    close();
    setter.call(field, text + after);
    field.setSelectionRange(text.length, text.length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  }

  function close() {
    if (isOpen()) list.hidePopover();
    question()?.removeAttribute("aria-expanded");
  }

  function pressed(event) {
    if (!isOpen() || event.isComposing || event.composedPath()[0] !== question()) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!shown.length && event.key !== "Escape") return;
    if (step) { at = (at + step + shown.length) % shown.length; draw(); }
    else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") choose(at);
    else if (event.key === "Escape") { dismissed = `${token.kind}${token.start}`; close(); }
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  // New names come into the list while it is open, as when a file has just been read.
  list.renew = (before) => {
    if (isOpen() && JSON.stringify(before) !== JSON.stringify(list.given)) look();
  };

  const looks = (event) => { if (event.target === question()) look(); };
  const left = (event) => { if (event.target === question()) close(); };
  document.addEventListener("keydown", pressed, true);
  document.addEventListener("input", looks);
  document.addEventListener("click", looks);
  document.addEventListener("focusout", left);
  list.leave = () => {
    document.removeEventListener("keydown", pressed, true);
    document.removeEventListener("input", looks);
    document.removeEventListener("click", looks);
    document.removeEventListener("focusout", left);
    list.leave = undefined;
  };
  return list.leave;
}

function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
