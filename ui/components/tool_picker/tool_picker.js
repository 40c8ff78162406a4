// The tools of a chat. Python gives {rows: [{id, group, name, reason, tools: [{name, line, sign, shows, asks, ticked, reason,
// new}]}], manage}; `chosen` is triggered once, when the popover closes, with what was changed. What is open, found or
// ticked in between is the reader's and lives on the element. Names are a stranger's and go in as text only.

const OPEN_UP = 8;

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".picker");
  root.picker ??= make(root);
  root.picker.update(data, (changes) => setTriggerValue("chosen", changes));
}

function make(root) {
  const part = (name) => root.querySelector("." + name);
  const content = part("content"), tree = part("tree"), find = part("find"), trigger = part("trigger");
  const expanded = new Set();
  let rows = [], changes = new Map(), choose = () => {}, sought = "";

  const nameOf = (row, tool) => row.id + "\u0000" + tool.name;
  const usable = (row, tool) => !row.reason && !tool.reason;
  const ticked = (row, tool) => changes.get(nameOf(row, tool)) ?? tool.ticked;
  const on = (row) => row.tools.filter((tool) => usable(row, tool) && ticked(row, tool)).length;
  const stateOf = (row) => {
    const count = row.tools.filter((tool) => ticked(row, tool)).length;
    return count === 0 ? "false" : count === row.tools.length ? "true" : "mixed";
  };

  function tick(row, tool, value) {
    if (!usable(row, tool)) return;
    const key = nameOf(row, tool);
    if (value === tool.ticked) changes.delete(key); else changes.set(key, value);
  }

  function toggle(row, tool) {
    if (tool) tick(row, tool, !ticked(row, tool));
    else {
      const any = row.tools.some((one) => usable(row, one) && ticked(row, one));
      for (const one of row.tools) tick(row, one, !any);
    }
    draw();
  }

  function fold(row, open) {
    if (open) expanded.add(row.id); else expanded.delete(row.id);
    draw();
  }

  function box(row, tool, id) {
    const input = element("input");
    const state = tool ? String(ticked(row, tool)) : stateOf(row);
    input.type = "checkbox";
    input.tabIndex = -1;
    input.checked = state === "true";
    input.indeterminate = state === "mixed";
    input.disabled = tool ? !usable(row, tool) : !row.tools.some((one) => usable(row, one));
    input.setAttribute("aria-checked", state);
    input.setAttribute("aria-label", tool ? tool.name : row.name);
    input.dataset.testid = id;
    input.onclick = (event) => { event.stopPropagation(); toggle(row, tool); };
    return input;
  }

  function item(row, tool, id, level) {
    const line = element("div", "row" + (tool ? " tool" : "") + (row.reason || tool?.reason ? " off" : ""));
    line.setAttribute("role", "treeitem");
    line.setAttribute("aria-level", level);
    line.setAttribute("aria-checked", tool ? String(ticked(row, tool)) : stateOf(row));
    if (tool && !usable(row, tool)) line.setAttribute("aria-disabled", "true"); // a toolset can still be unfolded
    line.dataset.testid = id;
    line.tabIndex = -1;
    line.press = (key) => {
      if (key === " ") toggle(row, tool);
      else if (key === "Enter") { if (tool) toggle(row, tool); else fold(row, !expanded.has(row.id)); }
      else if (key === "ArrowRight" && !tool) fold(row, true);
      else if (key === "ArrowLeft") { fold(row, false); if (tool) focus("toolset-row-" + row.id); }
      else return false;
      return true;
    };
    return line;
  }

  function drawRow(row) {
    const open = expanded.has(row.id) || Boolean(sought);
    const line = item(row, null, "toolset-row-" + row.id, 1);
    line.setAttribute("aria-expanded", String(open));
    const chevron = element("button", "chevron");
    chevron.type = "button";
    chevron.tabIndex = -1;
    chevron.dataset.testid = "toolset-expand-" + row.id;
    chevron.setAttribute("aria-expanded", String(open));
    chevron.setAttribute("aria-label", (open ? "Fold " : "Unfold ") + row.name);
    chevron.append(icon("chevron_right"));
    chevron.onclick = (event) => { event.stopPropagation(); fold(row, !expanded.has(row.id)); };
    const end = element("span", "end", row.reason || `(${on(row)}/${row.tools.length})`);
    const reaches = [...new Set(row.tools.map((tool) => tool.reaches).filter(Boolean))];
    if (reaches.length && !row.reason) end.prepend(element("span", "reaches", "↗ " + reaches.join(", ")));
    line.append(chevron, box(row, null, "toolset-checkbox-" + row.id), element("span", "name", row.name), end);
    line.onclick = () => fold(row, !expanded.has(row.id));
    line.title = row.reason || row.name;
    return line;
  }

  function drawTool(row, tool) {
    const own = row.id + "-" + tool.name;
    const line = item(row, tool, "tool-row-" + own, 2);
    const end = element("span", "end");
    if (tool.reason && !row.reason) end.append(element("span", "", tool.reason));
    if (tool.new && !ticked(row, tool)) end.append(element("span", "new", "new"));
    if (tool.reaches) end.append(element("span", "reaches", "↗"));
    if (tool.asks) end.append(icon("back_hand", "asks", "Asks first"));
    if (tool.sign) end.append(icon(tool.sign, "", tool.shows));
    line.append(box(row, tool, "tool-checkbox-" + own), element("span", "name", tool.name), element("span", "line", tool.line), end);
    line.onclick = () => toggle(row, tool);
    line.title = [tool.name, tool.line, tool.shows, tool.reaches ? "Reaches the network: " + tool.reaches : "", tool.asks ? "Asks first" : "", tool.reason].filter(Boolean).join("\n");
    return line;
  }

  function draw() {
    const kept = root.getRootNode().activeElement?.closest?.(".row")?.dataset.testid;
    const scrolled = tree.scrollTop;
    const wanted = sought.toLowerCase();
    const fits = (row, tool) => [row.name, tool.name, tool.line].some((text) => text.toLowerCase().includes(wanted));
    const drawn = [];
    let group;
    for (const row of rows) {
      const shown = row.tools.filter((tool) => !wanted || fits(row, tool));
      if (wanted && !shown.length) continue;
      if (row.group !== group) { group = row.group; const title = element("div", "group", group); title.setAttribute("role", "presentation"); drawn.push(title); }
      const whole = element("div", "item");
      whole.setAttribute("role", "presentation");
      whole.dataset.testid = "toolset-item-" + row.id;
      whole.append(drawRow(row));
      if (expanded.has(row.id) || wanted) whole.append(...shown.map((tool) => drawTool(row, tool)));
      drawn.push(whole);
    }
    if (!drawn.length) drawn.push(element("p", "none", rows.length ? "No matching tools." : "No toolsets yet. Install one to give the model tools."));
    tree.replaceChildren(...drawn);
    tree.scrollTop = scrolled;
    const all = lines();
    if (all.length) (all.find((line) => line.dataset.testid === kept) ?? all[0]).tabIndex = 0;
    if (kept) focus(kept);
    const many = rows.reduce((sum, row) => sum + on(row), 0), of = rows.reduce((sum, row) => sum + row.tools.length, 0);
    part("count").textContent = `${many} of ${of} on`;
    part("badge").textContent = many;
    trigger.setAttribute("aria-label", `Tools in this chat: ${many} of ${of} on`);
    trigger.title = "Tools in this chat";
  }

  const lines = () => [...tree.querySelectorAll(".row")];
  function focus(id) {
    const line = lines().find((one) => one.dataset.testid === id);
    for (const one of lines()) one.tabIndex = one === line ? 0 : -1;
    line?.focus();
  }

  tree.onkeydown = (event) => {
    const line = event.target.closest?.(".row");
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = lines(), at = all.indexOf(line);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) focus(all[Math.max(0, Math.min(all.length - 1, to))].dataset.testid);
    else if (!line.press(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  find.oninput = () => { sought = find.value.trim(); draw(); };
  find.onkeydown = (event) => {
    if (event.key !== "ArrowDown" || !lines().length) return;
    event.preventDefault();
    focus(lines()[0].dataset.testid);
  };

  // The browser closes a popover at Escape too, but not every time under load: so it does not depend on that.
  function escaped(event) {
    if (!content.matches(":popover-open")) { document.removeEventListener("keydown", escaped, true); return; }
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    content.hidePopover();
  }

  content.addEventListener("toggle", (event) => {
    const open = event.newState === "open";
    if (open) document.addEventListener("keydown", escaped, true);
    else document.removeEventListener("keydown", escaped, true);
    root.classList.toggle("open", open);
    trigger.setAttribute("aria-expanded", String(open));
    if (open) {
      if (matchMedia("(pointer: fine)").matches) find.focus();
      return;
    }
    sought = find.value = "";
    if (changes.size) {
      choose([...changes].map(([key, value]) => { const [id, tool] = key.split("\u0000"); return { id, tool, on: value }; }));
    }
    draw();
    if (!root.getRootNode().activeElement && document.activeElement === document.body) trigger.focus();
  });
  content.addEventListener("beforetoggle", (event) => {
    if (event.newState !== "open") return;
    const place = trigger.getBoundingClientRect();
    content.style.left = Math.max(8, Math.min(place.left, innerWidth - 23.5 * 15 - 8)) + "px";
    content.style.bottom = innerHeight - place.top + OPEN_UP + "px";
    content.style.maxHeight = Math.min(480, place.top - 2 * OPEN_UP) + "px";
  });

  return {
    update(data, choose_) {
      choose = choose_;
      const drawn = JSON.stringify(data.rows);
      if (drawn !== this.drawn) { // what Python says now holds what was chosen, or another tab's choice
        this.drawn = drawn;
        rows = data.rows;
        if (!content.matches(":popover-open")) changes = new Map();
        else for (const row of rows) for (const tool of row.tools) if (changes.get(nameOf(row, tool)) === tool.ticked) changes.delete(nameOf(row, tool));
      }
      part("manage").href = data.manage;
      draw();
    },
  };
}

function icon(name, kind = "", words = "") {
  const made = element("span", "icon" + (kind ? " " + kind : ""), name);
  if (words) { made.setAttribute("role", "img"); made.setAttribute("aria-label", words); made.title = words; }
  else made.setAttribute("aria-hidden", "true");
  return made;
}

function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
