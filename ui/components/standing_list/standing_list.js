// The standing questions in groups. Python gives {groups: [{title, rows}]}; a row is {id, question, where, value, none, muted,
// tone, change, note, points, told, badge, kind, running, when, why, fix, menu: [{act, text, checked, disabled}]}. `acted` is
// triggered with {act, id, once}. Questions and values are a stranger's and go in as text only.

const SVG = "http://www.w3.org/2000/svg", WIDE = 134, HIGH = 38, EDGE = 4;

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".standing");
  const kept = root.getRootNode().activeElement?.closest?.(".row")?.dataset.id;
  const act = (name, id) => setTriggerValue("acted", { act: name, id, once: `${Date.now()}-${Math.random()}` });

  const head = element("div", "line");
  head.setAttribute("aria-hidden", "true");
  for (const [text, kind] of [["Question", ""], ["Value", "right"], ["Movement", "right"], ["Last 12 checks", ""], ["Last check", ""], ["", ""]]) head.append(element("span", kind, text));
  const parts = [head];
  for (const group of data.groups) {
    const title = element("h2", "", group.title);
    title.append(element("span", "", String(group.rows.length)));
    const list = element("div", "group");
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", group.title);
    list.append(...group.rows.map(row));
    parts.push(title, list);
  }
  root.replaceChildren(...parts);
  const rows = () => [...root.querySelectorAll(".row")];
  rows().forEach((one, at) => { one.tabIndex = (kept ? one.dataset.id === kept : at === 0) ? 0 : -1; });
  if (kept) rows().find((one) => one.dataset.id === kept)?.focus();
  if (!rows().some((one) => one.tabIndex === 0) && rows().length) rows()[0].tabIndex = 0;

  function row(one) {
    const line = element("div", ["row", one.muted && "muted", one.tone].filter(Boolean).join(" "));
    line.setAttribute("role", "listitem");
    line.dataset.id = one.id;
    line.dataset.testid = "standing-row";
    const question = element("div", "question");
    question.append(element("b", "", one.question), element("small", "", one.where));
    const movement = element("div", "movement");
    movement.append(element("b", one.tone, one.change), document.createTextNode(" "), element("small", "", one.note));
    const check = element("div", "check");
    if (one.running) {
      check.append(element("span", "ring"), element("small", "why", "Running"));
      check.lastChild.style.display = "inline";
    } else check.append(element("span", "badge " + one.kind, one.badge));
    if (!one.running && one.when) check.append(element("small", "", one.when));
    if (!one.running && one.why) check.append(element("small", "why", one.why));
    if (one.fix) check.append(button("fix", one.fix, one.fix, () => act("fix", one.id)));
    const spark = element("div", "spark");
    spark.setAttribute("role", "img");
    spark.setAttribute("aria-label", one.told);
    if (one.points.length > 1) spark.append(line_of(one.points));
    line.append(question, element("div", one.none ? "value none" : "value", one.value), movement, spark, check, acts(one, line));
    line.setAttribute("aria-label", [one.question, one.where, one.value, one.change, one.note, one.told, one.running ? "running" : one.badge, one.when, one.why].filter(Boolean).join(". "));
    line.onclick = (event) => { if (!event.target.closest("button, .menu")) act("open", one.id); };
    return line;
  }

  function acts(one, line) {
    const box = element("div", "acts"), menu = element("div", "menu");
    menu.hidden = true;
    menu.setAttribute("role", "menu");
    for (const item of one.menu) {
      const choice = button("", item.text, item.text, () => act(item.act, one.id));
      choice.setAttribute("role", item.checked === null ? "menuitem" : "menuitemcheckbox");
      if (item.checked !== null) choice.setAttribute("aria-checked", String(item.checked));
      choice.disabled = item.disabled;
      menu.append(choice);
    }
    const more = button("", "⋯", "More about this question", () => show(menu.hidden));
    more.setAttribute("aria-haspopup", "menu");
    more.setAttribute("aria-expanded", "false");
    function show(open) {
      menu.hidden = !open;
      line.classList.toggle("open", open);
      more.setAttribute("aria-expanded", String(open));
      (open ? menu.querySelector("button:not(:disabled)") : more)?.focus();
    }
    menu.onkeydown = (event) => {
      const all = [...menu.querySelectorAll("button:not(:disabled)")], at = all.indexOf(root.getRootNode().activeElement);
      if (event.key === "Escape") show(false);
      else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
      else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
      else { event.stopPropagation(); return; }
      event.preventDefault();
      event.stopPropagation();
    };
    box.onfocusout = (event) => { if (!box.contains(event.relatedTarget)) { menu.hidden = true; line.classList.remove("open"); more.setAttribute("aria-expanded", "false"); } };
    const again = button("run", "↻", "Run again", () => act("run", one.id));
    again.disabled = one.running;
    box.append(again, more, menu);
    return box;
  }

  const keydown = (event) => {
    const path = event.composedPath(), on = path.find((one) => one.classList?.contains("row"));
    if (path[0].closest?.("input, textarea, select, [contenteditable]") || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("[data-testid=stDialog]")) return;
    const all = rows(), key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const here = on ?? all.find((one) => one.tabIndex === 0), at = all.indexOf(here);
    if (key === "r" && event.shiftKey) act("all", "");
    else if (event.shiftKey || !here) return;
    else if (key === "ArrowDown" || key === "ArrowUp") {
      const next = on ? all[Math.max(0, Math.min(all.length - 1, at + (key === "ArrowDown" ? 1 : -1)))] : here;
      all.forEach((one) => { one.tabIndex = one === next ? 0 : -1; });
      next.focus();
    } else if (key === "Enter" && on && path[0] === on) act("open", here.dataset.id);
    else if (key === "r") act("run", here.dataset.id);
    else if (key === "u" && on) act("unpin", here.dataset.id);
    else return;
    event.preventDefault();
  };
  root.close?.();
  document.addEventListener("keydown", keydown);
  root.close = () => document.removeEventListener("keydown", keydown);
  return () => root.close();
}

function line_of(points) {
  const low = Math.min(...points), high = Math.max(...points), step = (WIDE - 2 * EDGE) / (points.length - 1);
  const y = (value) => (high === low ? HIGH / 2 : HIGH - EDGE - ((value - low) / (high - low)) * (HIGH - 2 * EDGE));
  const at = points.map((value, place) => [EDGE + place * step, y(value)]);
  const svg = shape("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true", preserveAspectRatio: "none" });
  const told = at.map((point) => point.join(",")).join(" ");
  svg.append(
    shape("polygon", { points: `${EDGE},${HIGH} ${told} ${at.at(-1)[0]},${HIGH}` }),
    shape("polyline", { points: told }),
    shape("circle", { cx: at.at(-1)[0], cy: at.at(-1)[1], r: 2.6 }),
  );
  return svg;
}

function shape(name, facts) {
  const made = document.createElementNS(SVG, name);
  for (const [fact, value] of Object.entries(facts)) made.setAttribute(fact, value);
  return made;
}

function element(name, kind, text = "") {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}

function button(kind, text, name, click) {
  const made = element("button", kind, text);
  made.type = "button";
  made.title = name;
  made.setAttribute("aria-label", name);
  made.onclick = click;
  return made;
}
