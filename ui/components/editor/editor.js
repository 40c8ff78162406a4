// A text to edit: a field over its own coloured copy. Python gives {text, original, base, language, label, done,
// tallest, kept, taken_back}; it is told `draft` after a pause, and `done` when the text is to be saved or run. Texts go in as text only.
const PAUSE = 500; // milliseconds after the last key until a draft is told
const COLOURED = 120_000; // characters up to which a text is coloured
const STEP = { python: 4, sql: 4, default: 2 };

const WORDS = {
  python: "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match case nonlocal not or pass raise return try while with yield None True False self",
  javascript: "async await break case catch class const continue default delete do else export extends finally for function if import in instanceof let new of return static super switch this throw try typeof var void while yield null true false undefined interface type enum implements",
  sql: "all and any anti as asc asof between by case cast create cross cube date day desc distinct else end except exclude exists false filter first following from full group grouping having ilike in inner intersect interval is join last lateral left like limit natural not null nulls offset on or order outer over partition pivot positional preceding qualify range recursive replace right rollup rows sample select semi sets similar struct summarize then to true unbounded union unnest unpivot using values when where window with",
  bash: "if then else elif fi for while do done case esac in function return export local echo cd exit set source",
  css: "important media supports import keyframes font-face",
  yaml: "true false null yes no",
  json: "true false null",
  toml: "true false",
};
const ALIAS = { py: "python", js: "javascript", ts: "javascript", typescript: "javascript", jsx: "javascript", tsx: "javascript", sh: "bash", shell: "bash", yml: "yaml", md: "markdown", duckdb: "sql" };
const STRINGS = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`;
const SHAPES = {
  python: String.raw`(?<c>#[^\n]*)|(?<s>[rbfRBF]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|${STRINGS}))`,
  javascript: String.raw`(?<c>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<s>\`(?:\\.|[^\`\\])*\`?|${STRINGS})`,
  sql: String.raw`(?<c>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<s>'(?:''|[^'])*'?|"(?:""|[^"])*"?)`,
  css: String.raw`(?<c>\/\*[\s\S]*?(?:\*\/|$))|(?<s>${STRINGS})`,
  html: String.raw`(?<c><!--[\s\S]*?(?:-->|$))|(?<k><\/?[a-zA-Z][\w-]*|\/?>)|(?<s>${STRINGS})`,
  markdown: String.raw`(?<k>^#{1,6} [^\n]*)|(?<s>\`\`\`[\s\S]*?(?:\`\`\`|$)|\`[^\`\n]*\`)|(?<f>\*\*[^*\n]+\*\*|^ *(?:[-*+]|\d+\.)(?= ))|(?<n>\[[^\]\n]*\]\([^)\n]*\))|(?<c>^>[^\n]*)`,
  default: String.raw`(?<c>#[^\n]*)|(?<s>${STRINGS})`,
};

export default function (component) {
  const root = component.parentElement.querySelector(".editor");
  root.one ??= made(root);
  root.one.update(component);
  root.classList.add("alive");
  return () => root.one.close();
}

function made(root) {
  const part = (name) => root.querySelector(name);
  const field = part("textarea"), find = part(".find input"), scroll = part(".scroll");
  let host, data, base, taken, told, pause, language, leaving = false, matches = [], at = 0;

  function update(component) {
    host = component;
    data = component.data;
    language = ALIAS[data.language] ?? data.language;
    field.setAttribute("aria-label", data.label);
    root.classList.toggle("wrapped", language === "sql"); // a query is often one long line
    field.wrap = language === "sql" ? "soft" : "off";
    scroll.style.maxHeight = data.tallest + "px";
    part(".hint").textContent = (data.done === "run" ? "Ctrl Enter runs" : "Ctrl S saves") + " · Ctrl F finds · Esc Tab leaves";
    const fresh = base === undefined, other = base !== data.base, back = taken !== data.taken_back;
    if (!other && !back) return; // a text that is being typed is the reader's
    const typing = !fresh && !back && field.value !== told;
    base = data.base;
    taken = data.taken_back;
    if (!typing) field.value = data.text;
    told = typing ? data.text : field.value; // a field has line feeds only
    if (fresh) restore();
    else if (typing) { keep(); pause = setTimeout(tell, PAUSE); }
    else forget();
    draw();
  }

  function restore() { // what was typed before a reload of the tab
    const kept = stored();
    if (data.text === data.original && kept?.base === base && kept.text !== data.text) { field.value = kept.text; tell(); }
  }
  function stored() { try { return JSON.parse(sessionStorage.getItem("ab-draft:" + data.kept)); } catch { return null; } }
  function forget() { try { sessionStorage.removeItem("ab-draft:" + data.kept); } catch { /* there is no store */ } }
  function keep() { try { sessionStorage.setItem("ab-draft:" + data.kept, JSON.stringify({ base, text: field.value })); } catch { /* it is full */ } }

  function tell() {
    clearTimeout(pause);
    if (field.value === told) return;
    told = field.value;
    host.setStateValue("draft", { text: told, base, taken }); // the same text on another base is a new draft
  }
  function done() {
    clearTimeout(pause);
    told = field.value;
    host.setTriggerValue("done", told);
  }

  function draw() {
    const text = field.value, lines = text.split("\n").length;
    if (part(".numbers").lines !== lines) {
      part(".numbers").lines = lines;
      part(".numbers").textContent = Array.from({ length: lines }, (_, n) => n + 1).join("\n");
    }
    root.classList.toggle("plain", text.length > COLOURED);
    part(".colours").replaceChildren(...(text.length > COLOURED ? [text] : coloured(text, language)), "\n ");
    place();
    if (!part(".find").hidden) look(false);
  }

  function place() {
    const before = field.value.slice(0, field.selectionStart).split("\n");
    part(".place").textContent = `Line ${before.length}, column ${before.at(-1).length + 1}`;
  }

  function put(text, from = field.selectionStart, to = field.selectionEnd) { // so that undo takes it back
    field.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) { field.setRangeText(text, from, to, "end"); field.dispatchEvent(new Event("input")); }
  }

  function indent(back) {
    const { selectionStart: from, selectionEnd: to, value } = field;
    const unit = " ".repeat(STEP[language] ?? STEP.default);
    if (!back && from === to) return put(unit);
    const first = value.lastIndexOf("\n", from - 1) + 1;
    const lines = value.slice(first, to).split("\n");
    const moved = lines.map((line) => (back ? line.replace(new RegExp(`^(?:\t| {1,${unit.length}})`), "") : line && unit + line));
    put(moved.join("\n"), first, to);
    const shift = moved[0].length - lines[0].length;
    field.setSelectionRange(Math.max(first, from + shift), to + moved.join("\n").length - lines.join("\n").length);
  }

  function newline() {
    const line = field.value.slice(field.value.lastIndexOf("\n", field.selectionStart - 1) + 1, field.selectionStart);
    const deeper = (language === "python" && /:\s*(#.*)?$/.test(line)) || /[{[(]\s*$/.test(line);
    put("\n" + line.match(/^[ \t]*/)[0] + (deeper ? " ".repeat(STEP[language] ?? STEP.default) : ""));
  }

  function look(step) {
    const wanted = find.value.toLowerCase(), text = field.value.toLowerCase();
    matches = [];
    for (let from = wanted ? text.indexOf(wanted) : -1; from >= 0 && matches.length < 2_000; from = text.indexOf(wanted, from + wanted.length)) matches.push(from);
    if (step === false) at = Math.min(at, Math.max(0, matches.length - 1));
    else at = matches.length ? (at + step + matches.length) % matches.length : 0;
    part(".count").textContent = !wanted ? "" : matches.length ? `${at + 1} / ${matches.length}` : "no matches";
    let done = 0;
    const pieces = matches.flatMap((from, index) => {
      const mark = document.createElement("mark");
      mark.textContent = field.value.slice(from, from + wanted.length);
      mark.className = index === at ? "here" : "";
      const before = field.value.slice(done, from);
      done = from + wanted.length;
      return [before, mark];
    });
    part(".marks").replaceChildren(...pieces, field.value.slice(done) + "\n ");
    if (step !== false) part(".marks .here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  function opened() {
    part(".find").hidden = false;
    const chosen = field.value.slice(field.selectionStart, field.selectionEnd);
    if (chosen && !chosen.includes("\n")) find.value = chosen;
    find.focus();
    find.select();
    look(0);
  }
  function shut() {
    const here = matches[at];
    part(".find").hidden = true;
    part(".marks").replaceChildren();
    field.focus();
    if (here !== undefined) field.setSelectionRange(here, here + find.value.length);
    matches = [];
  }

  const keys = (event) => {
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (command && event.key.toLowerCase() === "s" && data.done !== "run") return event.preventDefault(), event.stopPropagation(), done();
    if (command && event.key === "Enter" && data.done === "run") return event.preventDefault(), event.stopPropagation(), done();
    if (command && event.key.toLowerCase() === "f") return event.preventDefault(), event.stopPropagation(), opened();
    return null;
  };
  root.onkeydown = keys;
  field.onkeydown = (event) => {
    if (event.key === "Escape" && leaving) return; // the second one is for what the editor stands in
    event.stopPropagation(); // the page's single letters are not meant here
    keys(event);
    if (event.defaultPrevented) return;
    if (event.key === "Tab" && !leaving && !event.ctrlKey && !event.altKey) { event.preventDefault(); indent(event.shiftKey); }
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) { event.preventDefault(); newline(); }
    leaving = event.key === "Escape" || (leaving && event.key === "Shift");
  };
  field.oninput = () => { draw(); keep(); clearTimeout(pause); pause = setTimeout(tell, PAUSE); };
  field.onblur = tell;
  field.onkeyup = field.onclick = place;
  find.oninput = () => { at = 0; look(0); };
  find.onkeydown = (event) => {
    event.stopPropagation();
    keys(event);
    if (event.key === "Enter") { event.preventDefault(); look(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { event.preventDefault(); shut(); }
  };
  part(".next").onclick = () => look(1);
  part(".previous").onclick = () => look(-1);
  part(".shut").onclick = shut;
  return { update, close: () => clearTimeout(pause) };
}

function coloured(text, language) {
  const words = WORDS[language] ? new Set(WORDS[language].split(" ")) : null;
  const shape = SHAPES[language] ?? SHAPES.default;
  if (language === "text" || language === "plain") return [text];
  const known = language === "markdown" ? shape : `${shape}|(?<n>\\b\\d[\\w.]*)|(?<w>[A-Za-z_][\\w-]*)`;
  const pieces = [];
  let done = 0;
  for (const match of text.matchAll(new RegExp(known, "gm"))) {
    if (!match[0]) continue;
    const [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    let name = kind;
    if (kind === "w") {
      const word = language === "sql" ? match[0].toLowerCase() : match[0];
      name = words?.has(word) ? "k" : text[match.index + match[0].length] === "(" ? "f" : "";
    } else if (kind === "s" && language === "json" && /^\s*:/.test(text.slice(match.index + match[0].length, match.index + match[0].length + 8))) name = "k";
    if (!name) continue;
    if (match.index > done) pieces.push(text.slice(done, match.index));
    const span = document.createElement("span");
    span.className = name;
    span.textContent = match[0];
    pieces.push(span);
    done = match.index + match[0].length;
  }
  pieces.push(text.slice(done));
  return pieces;
}
