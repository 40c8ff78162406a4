// The history of a chat as a bar to scrub. Python gives {positions, times, types, names, lanes, turns, named, at}: positions and
// times as steps from the one before. `moved` is triggered with a position of the log; while Python draws that moment the
// bar goes on moving by itself and asks for the latest only. Where it stands is in the address, so that a link leads there.

const PLAY = { "×1": 400, "×4": 100, turns: 1200 };
const LANES = 4;
const AGAIN = 3000; // milliseconds

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".bar");
  root.bar ??= make(root);
  root.bar.update(data, (position) => setTriggerValue("moved", position));
  root.classList.add("alive");
  return () => { root.bar?.close(); root.bar = undefined; };
}

function make(root) {
  const part = (name) => root.querySelector("." + name);
  const track = part("track"), canvas = root.querySelector("canvas"), play = part("play"), speed = part("speed");
  let ticks = { positions: [], times: [], types: [], names: [], lanes: [] }, turns = [], named = [], at = 0;
  let move = () => {}, waits = null, next = null, dragging = false, timer = null, again = null, drawn = null, palette = null;

  const last = () => ticks.positions.length - 1;
  const x = (index) => last() < 1 ? 0.5 : 0.004 + (0.992 * index) / last();
  const clock = (index) => new Date(ticks.times[index]).toLocaleTimeString([], { hour12: false });
  const day = (index) => new Date(ticks.times[index]).toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });

  function show() {
    if (last() < 0) return;
    const name = ticks.names[ticks.types[at]];
    part("time").textContent = clock(at);
    part("time").title = day(at);
    part("where").textContent = `event ${(at + 1).toLocaleString("en")} of ${(last() + 1).toLocaleString("en")} · ${name}`;
    part("head-line").style.left = 100 * x(at) + "%";
    track.setAttribute("aria-valuemax", last() + 1);
    track.setAttribute("aria-valuenow", at + 1);
    track.setAttribute("aria-valuetext", `${clock(at)}, ${name}`);
    for (const button of root.querySelectorAll(".step")) button.disabled = ["first", "back"].includes(button.dataset.step) ? at === 0 : at === last();
    paint();
  }

  function paint() {
    const box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
    if (!box.width) return;
    canvas.width = Math.round(box.width * scale);
    canvas.height = Math.round(box.height * scale);
    const pen = canvas.getContext("2d");
    // Looking a colour up lays the whole page out; while the head moves they stay what they are.
    palette ??= ["--ab-accent", "--ab-run", "--ab-ok", "--ab-ask", "--ab-hover"].map((name) => resolved(root, getComputedStyle(root).getPropertyValue(name).trim() || "gray"));
    const colours = palette;
    pen.scale(scale, scale);
    pen.fillStyle = colours[4];
    for (const turn of turns) {
      const from = x(turn.first) * box.width - 2, to = x(turn.last) * box.width + 2;
      pen.globalAlpha = turn.first > at ? 0.45 : 1;
      pen.fillRect(from, 0, Math.max(2, to - from - 1), box.height);
    }
    const high = box.height / LANES, wide = Math.max(1, Math.min(3, (box.width / (last() + 1)) * 0.4)), seen = new Set();
    for (let index = 0; index <= last(); index++) {
      const lane = ticks.lanes[ticks.types[index]], place = x(index) * box.width, key = lane * 1e6 + Math.round(place * 2);
      if (index !== at && seen.has(key)) continue; // beyond two for a pixel they would only cover each other
      seen.add(key);
      pen.globalAlpha = index > at ? 0.3 : 1;
      pen.fillStyle = colours[lane];
      pen.fillRect(place - wide / 2, lane * high + high * 0.2, wide, high * 0.6);
    }
    pen.globalAlpha = 1;
  }

  function name() {
    part("names").replaceChildren(...turns.flatMap((turn, number) => {
      const from = x(turn.first), to = number + 1 < turns.length ? x(turns[number + 1].first) : 1;
      if ((to - from) * track.clientWidth < 44) return [];
      const label = document.createElement("span");
      label.textContent = label.title = turn.title;
      label.style.left = 100 * from + "%";
      label.style.width = 100 * (to - from) + "%";
      return [label];
    }));
  }

  // A named moment is a button above the lanes: a click goes there. Names that would overlap are in rows.
  function marks() {
    part("marks").hidden = !named.length;
    const wide = part("marks").clientWidth, rows = [];
    part("marks").replaceChildren(...named.map((one) => {
      const mark = document.createElement("button");
      mark.type = "button";
      mark.dataset.testid = "history-mark";
      mark.textContent = one.name;
      mark.title = mark.ariaLabel = "Moment " + one.name;
      mark.onclick = () => { stop(); go(one.index); };
      return mark;
    }));
    [...part("marks").children].forEach((mark, number) => {
      const at = x(named[number].index) * wide, own = mark.offsetWidth, ends = at + own > wide;
      const from = Math.max(0, ends ? at - own : at);
      let row = rows.findIndex((taken) => taken.every(([a, b]) => from + own <= a || from >= b));
      if (row < 0) row = rows.push([]) - 1;
      rows[row].push([from, from + own + 4]);
      mark.style.left = from + "px";
      mark.style.top = 1.35 * row + "rem";
      mark.classList.toggle("ends", ends);
    });
    part("marks").style.height = 1.35 * rows.length + "rem";
  }

  function go(index) {
    const to = Math.max(0, Math.min(last(), index));
    if (to === at && waits === null) return;
    at = to;
    show();
    ask();
  }

  function ask() {
    const position = ticks.positions[at];
    if (waits !== null) { next = position; return; }
    waits = position;
    next = null;
    name_moment(position);
    move(position);
    clearTimeout(again);
    again = setTimeout(() => { if (waits === position) move(position); }, AGAIN); // lost where the page was just drawn anew
  }

  function name_moment(position) {
    const address = new URL(location.href);
    if (position === null) address.searchParams.delete("at"); else address.searchParams.set("at", position);
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }

  function step(name) {
    stop();
    go({ first: 0, back: at - 1, next: at + 1, last: last() }[name]);
  }

  const stop = () => { clearInterval(timer); timer = null; state(); };
  function state() {
    play.firstElementChild.textContent = timer ? "pause" : "play_arrow";
    play.setAttribute("aria-label", timer ? "Pause" : "Play");
  }
  function start() {
    if (at === last()) go(0);
    // Where it stands is told by the clock, so that a moment that takes long to draw takes nothing from the pace.
    const pace = PLAY[speed.textContent], from = at, began = performance.now();
    timer = setInterval(() => {
      if (at === last()) { stop(); return; }
      const ends = turns.map((turn) => turn.last).filter((end) => end > at);
      const to = speed.textContent === "turns" ? Math.min(...ends, last()) : from + Math.floor((performance.now() - began) / pace);
      if (to > at) go(to);
    }, pace);
    state();
  }
  const toggle = () => timer ? stop() : start();
  play.onclick = toggle;
  speed.onclick = () => {
    const all = Object.keys(PLAY);
    speed.textContent = all[(all.indexOf(speed.textContent) + 1) % all.length];
    if (timer) { clearInterval(timer); start(); }
  };
  for (const button of root.querySelectorAll(".step")) button.onclick = () => step(button.dataset.step);

  const under = (event) => {
    const box = track.getBoundingClientRect();
    return Math.round(((event.clientX - box.left) / box.width - 0.004) / 0.992 * last());
  };
  track.onpointerdown = (event) => {
    if (event.button) return;
    stop();
    dragging = true;
    track.setPointerCapture(event.pointerId);
    go(under(event));
  };
  track.onpointermove = (event) => { if (dragging) go(under(event)); };
  track.onpointerup = track.onpointercancel = () => { dragging = false; };

  const typing = (event) => event.composedPath()[0].closest?.("input, textarea, select, [contenteditable], [role=dialog], [role=tree], [role=listbox]");
  function keys(event) {
    if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: last() }[event.key];
    const pressed = event.composedPath()[0].closest?.("button, a, summary");
    if (to !== undefined) { stop(); go(to); }
    else if (event.key === " " && !pressed) toggle();
    else return;
    event.preventDefault();
  }
  const recolour = () => { palette = null; paint(); };
  document.addEventListener("keydown", keys);
  const resized = new ResizeObserver(() => { name(); marks(); recolour(); });
  resized.observe(track);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", recolour);

  return {
    update(data, move_) {
      move = move_;
      palette = null;
      const known = data.positions.length + ":" + data.turns.length + ":" + data.at;
      const sum = (steps) => { let total = 0; return steps.map((value) => (total += value)); };
      if (known !== drawn) ticks = { positions: sum(data.positions), times: sum(data.times), types: data.types, names: data.names, lanes: data.lanes };
      const asked = drawn === null && Number(new URL(location.href).searchParams.get("at"));
      drawn = known;
      turns = data.turns;
      named = data.named;
      if (waits === data.at || waits === null) {
        const waited = waits !== null;
        waits = null;
        if (waited && next !== null) ask();
        else if (!dragging) {
          at = Math.max(0, ticks.positions.indexOf(data.at));
          if (!asked) name_moment(at === last() ? null : data.at);
        }
      }
      name();
      marks();
      show();
      if (asked && asked !== data.at && ticks.positions.includes(asked)) go(ticks.positions.indexOf(asked)); // asked for as the page was drawn anew
    },
    close() {
      clearInterval(timer);
      clearTimeout(again);
      resized.disconnect();
      document.removeEventListener("keydown", keys);
      scheme.removeEventListener("change", recolour);
    },
  };
}

// A canvas knows no light-dark(): the browser resolves the colour on an element first.
function resolved(root, colour) {
  const probe = document.createElement("i");
  probe.style.color = colour;
  root.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
