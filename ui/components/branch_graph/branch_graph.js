// A chat's tree as lanes. Python gives {rows: [{id, parent, lane, question, label, time, path, here, later, named}], tag,
// ticked}; `chosen` is triggered with the id of a clicked message, `ticked` with the ids of the ticked answers, two at the
// most. Labels are a stranger's and go in as text only.

const LANE = 17, LEFT = 12, RADIUS = 5, WIDEST = 68; // pixels
const SVG = "http://www.w3.org/2000/svg";

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".graph");
  const list = root.querySelector(".rows"), svg = root.querySelector("svg");
  const wide = Math.max(0, ...data.rows.map((row) => row.lane));
  const step = Math.min(LANE, WIDEST / Math.max(1, wide)); // many branches are drawn closer, so that titles keep their room
  const x = (row) => LEFT + row.lane * step;
  const kept = root.getRootNode().activeElement?.dataset?.id;

  list.replaceChildren(...data.rows.map((row, at) => {
    const line = element("div", ["row", row.path && "path", row.here && "here", row.later && "later"].filter(Boolean).join(" "));
    line.setAttribute("role", "treeitem");
    line.setAttribute("aria-level", row.lane + 1);
    line.setAttribute("aria-selected", String(row.here));
    line.dataset.testid = "branch-row";
    line.dataset.id = row.id;
    line.tabIndex = row.here || (at === 0 && !data.rows.some((one) => one.here)) ? 0 : -1;
    line.style.paddingLeft = LEFT + wide * step + LANE + "px";
    const words = element("div", "words"), below = element("div", "below");
    words.append(element("span", "label", row.label));
    if (row.here) below.append(element("span", "tag", data.tag));
    for (const name of row.named) below.append(Object.assign(element("span", "named", name), { title: name }));
    if (below.hasChildNodes()) words.append(below);
    line.append(words, element("span", "time", row.time));
    if (data.ticked && !row.question) line.append(tick(row));
    line.title = (row.question ? "Question: " : "Answer: ") + row.label;
    line.setAttribute("aria-label", `${row.question ? "Question" : "Answer"}, branch ${row.lane + 1}, ${row.time}: ${row.label}${row.named.map((name) => ", moment " + name).join("")}`);
    line.onclick = () => setTriggerValue("chosen", row.id);
    return line;
  }));

  function tick(row) {
    const box = element("input", "tick");
    box.type = "checkbox";
    box.checked = data.ticked.includes(row.id);
    box.title = "Compare";
    box.tabIndex = -1; // with the keyboard, Space on the row ticks it
    box.setAttribute("aria-label", `Compare ${row.label}`);
    box.onclick = (event) => event.stopPropagation();
    box.onchange = () => {
      const others = data.ticked.filter((id) => id !== row.id);
      setTriggerValue("ticked", box.checked ? [...others.slice(-1), row.id] : others);
    };
    return box;
  }

  list.onkeydown = (event) => {
    const all = [...list.children], at = all.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) { const line = all[Math.max(0, Math.min(all.length - 1, to))]; all.forEach((one) => { one.tabIndex = one === line ? 0 : -1; }); line.focus(); }
    else if (event.key === " " && event.target.querySelector(".tick")) event.target.querySelector(".tick").click();
    else if (event.key === "Enter" || event.key === " ") event.target.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (kept) list.querySelector(`[data-id="${CSS.escape(kept)}"]`)?.focus();

  const high = Math.min(...[...list.children].map((line) => line.offsetHeight || 30));
  const y = (at) => list.children[at].offsetTop + high / 2; // beside the title, also of a row with a second line
  svg.setAttribute("width", LEFT + (wide + 1) * step);
  svg.setAttribute("height", list.offsetHeight);
  const lines = data.rows.flatMap((row, at) => {
    if (row.parent === null || row.parent === undefined) return [];
    const from = data.rows[row.parent], [x1, y1, x2, y2] = [x(from), y(row.parent), x(row), y(at)];
    const bend = x1 === x2 ? `V${y2}` : `C${x1} ${y1 + high * 0.7} ${x2} ${y1 + high * 0.3} ${x2} ${y1 + high}V${y2}`;
    return [shape("path", { d: `M${x1} ${y1}${bend}` }, [row.path && from.path && "path", row.later && "later"])];
  });
  lines.sort((a, b) => a.classList.contains("path") - b.classList.contains("path"));
  const dots = data.rows.map((row, at) => shape("circle", { cx: x(row), cy: y(at), r: row.here ? RADIUS + 1.5 : RADIUS }, [row.question && "question", row.path && "path", row.later && "later"]));
  svg.replaceChildren(...lines, ...dots);
}

function shape(name, facts, kinds) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(facts)) made.setAttribute(key, value);
  made.setAttribute("class", kinds.filter(Boolean).join(" "));
  return made;
}

function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
