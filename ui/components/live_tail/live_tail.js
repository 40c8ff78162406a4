// The running turn of one chat, fed by its WebSocket. Text from models and tools goes in as textContent only.
// Python gives {chat, path, live, running, question, version, badges}; `refresh` is triggered when durable state changed and
// must be shown. Without a path there is no socket: `live` then holds the running turns, and comes anew by itself.

const RETRY = [500, 1000, 2000, 5000];
const UNDER_HEAD = 56;
const AFTER = 50; // milliseconds after a dialog closed

const PLACES = /!\[[^\]\n]*\]\(\s*result:[^)\n]*\)?/g; // cards are drawn there when the answer is whole
const words = (text) => text.replace(PLACES, "");

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const root = parentElement.querySelector(".tail");
  let tail = root.tail;
  if (tail && tail.chat !== data.chat) { tail.close(); tail = undefined; }
  if (!tail) { tail = root.tail = open(root, data); }
  tail.update(data, setTriggerValue);
  return () => { tail.close(); root.tail = undefined; };
}

function open(root, first) {
  const view = {
    now: root.querySelector(".now"), seconds: root.querySelector(".seconds"),
    calls: root.querySelector(".calls"), draft: root.querySelector(".draft"),
  };
  const tail = { chat: first.chat, turns: new Map(), lost: false, tries: 0, closed: false };
  const place = holdQuestion();
  let data = first, trigger = () => {}, socket, clock, waiting, question;

  const refresh = whenNoDialog(() => trigger("refresh", Date.now() + Math.random()));
  const shown = () => [...tail.turns.values()].at(-1);

  function draw() {
    const turn = shown();
    root.hidden = !turn;
    clearInterval(clock);
    if (!turn) {
      view.now.textContent = view.seconds.textContent = view.draft.textContent = "";
      view.calls.replaceChildren();
      return;
    }
    root.classList.toggle("lost", tail.lost);
    if (tail.lost) {
      view.now.textContent = "The connection to Anabranch was lost; reconnecting…";
      view.seconds.textContent = "";
      return;
    }
    const calls = [...turn.calls.values()];
    const running = calls.find((call) => ["pending", "running"].includes(call.status));
    view.now.replaceChildren(...(running ? ["Running ", element("code", "", running.name)] : [turn.text ? "Writing…" : "Thinking…"]));
    view.calls.replaceChildren(...calls.map(drawCall));
    write(turn);
    const tick = () => { view.seconds.textContent = ((Date.now() - turn.began) / 1000).toFixed(1) + " s"; };
    tick();
    clock = setInterval(tick, 200);
  }

  // At most once in each frame: a fast model sends more pieces than a screen shows.
  function write(turn) {
    tail.drawn ??= requestAnimationFrame(() => {
      tail.drawn = undefined;
      const now = shown();
      if (now) view.draft.replaceChildren(...blocks(words(now.text)));
    });
  }

  function drawCall(call) {
    const [kind, word] = data.badges[call.status] || ["off", call.status];
    const item = element("li", kind);
    const head = element("div", "head");
    head.append(element("code", "", call.name), element("span", "badge " + kind, word));
    if (call.toolset) head.append(element("span", "set", call.toolset));
    item.append(head);
    if (call.arguments && kind === "run") item.append(element("pre", "given", call.arguments));
    const pictures = data.pictures.includes(call.toolset + ":" + call.name) && kind === "run";
    if (pictures) item.append(element("div", "picture", call.text || "The pictures will appear here."));
    if (call.commentary) item.append(element("div", "comment", call.commentary));
    if (call.fraction !== null && call.fraction !== undefined) {
      const bar = element("div", "bar"), fill = element("i", "");
      fill.style.width = Math.max(0, Math.min(1, call.fraction)) * 100 + "%";
      bar.append(fill);
      item.append(bar);
    }
    if (call.text && !pictures) item.append(element("div", "progress", call.text));
    return item;
  }

  function take(signal) {
    const turn = tail.turns.get(signal.turn_id);
    if (signal.type === "hello") {
      tail.tries = 0;
      tail.lost = false;
      draw();
      if ((data.running && !signal.running) || signal.version > data.version) refresh();
    } else if (signal.type === "turn") {
      const calls = new Map(signal.calls.map((call) => [call.call_id, call]));
      tail.turns.set(signal.turn_id, { text: signal.text, calls, began: signal.started_at * 1000 });
      draw();
      if (!data.turns.includes(signal.turn_id)) refresh();
    } else if (signal.type === "text" && turn) {
      const first = !turn.text;
      turn.text += signal.text;
      if (first) draw(); else write(turn);
    } else if (signal.type === "step" && turn) {
      turn.text = "";
      draw();
    } else if (signal.type === "call" && turn) {
      turn.calls.set(signal.call.call_id, { ...turn.calls.get(signal.call.call_id), ...signal.call });
      draw();
    } else if (signal.type === "end") {
      refresh();
    } else if (signal.type === "changed") {
      refresh();
    }
  }

  function connect() {
    if (tail.closed || !data.path) return;
    socket = new WebSocket(location.origin.replace(/^http/, "ws") + data.path);
    socket.onmessage = (message) => take(JSON.parse(message.data));
    socket.onclose = () => {
      if (tail.closed) return;
      tail.lost = true;
      draw();
      waiting = setTimeout(connect, RETRY[Math.min(tail.tries++, RETRY.length - 1)]);
    };
  }

  tail.update = (next, trigger_) => {
    data = next;
    trigger = trigger_;
    // What native history shows now is no longer shown here: the hand-over leaves no gap.
    for (const id of data.ended) tail.turns.delete(id);
    if (!data.path) {
      tail.turns.clear();
      data.live.forEach(take);
    }
    draw();
    if (data.question !== question) { question = data.question; place.hold(question); }
  };
  tail.close = () => { tail.closed = true; place.close(); refresh.close(); clearTimeout(waiting); clearInterval(clock); socket?.close(); };
  connect();
  return tail;
}

// A run of the page takes away what stands in a dialog, or the place in it: it waits until the dialog is closed, and has
// told so by itself (Streamlit runs a fragment only, where both are told in one breath).
function whenNoDialog(act) {
  const open = () => document.querySelector('[data-testid="stDialog"]');
  let soon;
  const closing = new MutationObserver(() => { if (!open()) { closing.disconnect(); soon = setTimeout(later, AFTER); } });
  const later = () => { if (open()) closing.observe(document.body, { childList: true }); else act(); };
  later.close = () => { closing.disconnect(); clearTimeout(soon); };
  return later;
}

// When a chat opens and when a question is asked, the last question goes to the head of the page, as far as there is
// something below it, and stays there while its answer grows, until the reader takes over. So does the one at which the
// reader changed to another wording or answer.
function holdQuestion() {
  const main = document.querySelector('[data-testid="stMain"]');
  const page = main?.querySelector('[data-testid="stMainBlockContainer"]');
  if (!page) return { hold() {}, close() {} };
  let held = null;
  const keep = () => {
    const last = held && page.querySelector(`.st-key-exchange-${CSS.escape(held)} .ab-question`);
    if (last) main.scrollTop += last.getBoundingClientRect().top - main.getBoundingClientRect().top - UNDER_HEAD;
  };
  const release = () => { held = null; };
  const grown = new ResizeObserver(keep);
  const readers = ["wheel", "touchmove", "pointerdown", "keydown"];
  grown.observe(page);
  for (const kind of readers) main.addEventListener(kind, release, { capture: true, passive: true });
  return {
    hold(question) { held = question; keep(); },
    close() {
      grown.disconnect();
      for (const kind of readers) main.removeEventListener(kind, release, { capture: true });
    },
  };
}

// A draft as formatted text: the marks that answers use most, each piece as textContent. What is not whole yet stays text.
const INLINE = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^\]\n]+)\]\([^)\n]*\)|(?<![\w*])\*([^*\n]+)\*(?![\w*])/g;
function inline(text) {
  const made = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    made.push(text.slice(at, found.index));
    const [, bold, code, link, soft] = found;
    made.push(bold ? element("strong", "", bold) : code ? element("code", "", code) : link ? element("u", "", link) : element("em", "", soft));
    at = found.index + found[0].length;
  }
  return [...made, text.slice(at)];
}

function blocks(text) {
  const made = [];
  const add = (name, content, kind) => { const one = element(name, kind); one.append(...content); made.push(one); };
  for (const [at, part] of text.split("```").entries()) {
    if (at % 2) { add("pre", [part.replace(/^\w*\n/, "")]); continue; }
    for (const paragraph of part.split(/\n{2,}/)) {
      if (!paragraph.trim()) continue;
      const lines = paragraph.split("\n"), heading = /^(#{1,6})\s+(.*)$/.exec(lines[0]);
      if (heading) { add("p", inline(heading[2]), "heading"); lines.shift(); }
      if (!lines.length) continue;
      if (lines.every((line) => /^\s*([-*+]|\d+[.)])\s/.test(line))) {
        const list = element(/^\s*\d/.test(lines[0]) ? "ol" : "ul");
        for (const line of lines) { const item = element("li"); item.append(...inline(line.replace(/^\s*([-*+]|\d+[.)])\s+/, ""))); list.append(item); }
        made.push(list);
      } else if (lines.every((line) => line.trim().startsWith("|"))) add("pre", [lines.join("\n")]);
      else add("p", inline(lines.join("\n")));
    }
  }
  return made;
}

function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
