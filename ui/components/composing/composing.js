// The question is Streamlit's own field. A table that is pasted from a spreadsheet is given to its file field, as if it
// had been dropped; Enter while a file uploads, which Streamlit ignores, sends the question when the upload is done. Of
// files that are dropped or chosen, those above the limit are kept from Streamlit, and what else can be done is offered.
const ROWS = 2, LONGEST = 5_000_000; // characters of text that may be a table

export default function (component) {
  const told = component.parentElement.querySelector(".told");
  told.host = component; // its data and its way to the server are those of the last run
  if (told.leave) return told.leave;
  const composer = () => document.querySelector(".st-key-composer [data-testid=stChatInput]");
  const field = () => composer()?.querySelector("textarea");
  const send = () => composer()?.querySelector("[data-testid=stChatInputSubmitButton]");
  let waiting = null, plain = false; // whether the text is pasted as text: Shift was held, of which a paste says nothing

  function say(text) {
    told.textContent = text;
    told.hidden = !text;
  }

  const large = component.parentElement.querySelector(".large");
  const refer = large.querySelector(".refer");
  let passing = false, named = null; // whether the files are those that this has let through; the one to be referred to

  const field_of = (node) => node.closest?.("[class*=st-key-uploads-]") ?? node.closest?.(".st-key-composer");

  // Keep files that are too large from Streamlit, and give it the others.
  function chosen(event) {
    const files = [...(event.type === "drop" ? event.dataTransfer?.files ?? [] : event.target.files ?? [])];
    const place = field_of(event.target);
    if (passing || !place || (event.type === "change" && event.target.type !== "file")) return;
    const { limit } = told.host.data, above = files.filter((file) => file.size > limit);
    refuse(above);
    if (!above.length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const input = place.querySelector("input[type=file]"), rest = new DataTransfer();
    for (const file of files) if (file.size <= limit) rest.items.add(file);
    input.files = rest.files;
    if (event.type === "drop") event.target.dispatchEvent(new DragEvent("dragleave", { bubbles: true }));
    if (!rest.files.length) return;
    passing = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    passing = false;
  }

  function refuse(files) {
    const { limit, sends, elsewhere, endings } = told.host.data;
    large.hidden = !files.length;
    large.removeAttribute("role"); // an alert that says nothing is none
    if (!files.length) return;
    large.setAttribute("role", "alert");
    named = files.find((file) => endings.some((ending) => file.name.toLowerCase().endsWith(ending))) ?? null;
    let digits = 3; // more, where a file and the limit lie close together
    while (files.some((file) => size(file.size, digits) === size(limit, digits))) digits += 1;
    const list = files.map((file) => `${file.name} (${size(file.size, digits)})`).join(", ");
    const why = `${list} ${files.length > 1 ? "were" : "was"} not added: ${sends} ${size(limit, digits)}.`;
    large.querySelector("p").textContent = named || !elsewhere ? why : `${why} ${elsewhere}`;
    refer.hidden = !named;
    refer.textContent = files.length > 1 && named ? `Use ${named.name} in place` : "Use it in place";
  }

  refer.onclick = () => { told.host.setTriggerValue("refer", { name: named.name, size: named.size }); refuse([]); };
  large.querySelector(".close").onclick = () => refuse([]);

  function pasted(event) {
    if (event.target !== field() || event.clipboardData.files.length) return;
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    const files = composer().querySelector("input[type=file]");
    if (!files || !isTable(text)) return;
    event.preventDefault();
    const given = new DataTransfer();
    given.items.add(new File([text + "\n"], "pasted.tsv", { type: "text/tab-separated-values" }));
    files.files = given.files;
    files.dispatchEvent(new Event("change", { bubbles: true }));
    const rows = text.split("\n").length;
    say(`The table that you pasted (${rows.toLocaleString()} lines) was added as pasted.tsv. To paste it as text, press Ctrl Shift V.`);
  }

  function pressed(event) {
    if (event.composedPath()[0] !== field() || event.isComposing) return;
    if (event.key === "Escape" && waiting) { stop(""); event.stopImmediatePropagation(); return; }
    if (event.key === "Enter" && !event.shiftKey && uploads()) { event.preventDefault(); event.stopImmediatePropagation(); begin(); }
    else if (event.key === "Enter" && !event.shiftKey) say(""); // what was said of the files that go with it
    if (event.key.toLowerCase() === "v" && event.shiftKey && (event.ctrlKey || event.metaKey)) plain = true;
  }

  // There are words, and yet it cannot be sent: nothing else than an upload keeps Streamlit from it.
  function uploads() {
    const button = send();
    return Boolean(button?.disabled && field().value.trim() && composer().querySelector("[data-testid=stFileChip]"));
  }

  function begin() {
    if (waiting) return;
    say("Sent when the upload is done. Esc cancels.");
    waiting = new MutationObserver(() => {
      const button = send();
      if (!button || !field()?.value.trim()) stop("");
      else if (!button.disabled) { stop(""); button.click(); }
    });
    waiting.observe(composer(), { subtree: true, attributes: true, childList: true });
  }

  function stop(text) {
    waiting?.disconnect();
    waiting = null;
    say(text);
  }

  const paste = (event) => { const asText = plain; plain = false; if (!asText) pasted(event); };
  const released = (event) => { if (event.key !== "Shift") plain = false; };
  document.addEventListener("change", chosen, true);
  document.addEventListener("drop", chosen, true);
  document.addEventListener("paste", paste, true);
  document.addEventListener("keydown", pressed, true);
  document.addEventListener("keyup", released, true);
  told.leave = () => {
    document.removeEventListener("change", chosen, true);
    document.removeEventListener("drop", chosen, true);
    document.removeEventListener("paste", paste, true);
    document.removeEventListener("keydown", pressed, true);
    document.removeEventListener("keyup", released, true);
    stop("");
    told.leave = undefined;
  };
  return told.leave;
}

// At least two lines, each with the same number of tabs: what spreadsheets and tables of web pages put on the clipboard.
function isTable(text) {
  if (!text.includes("\t") || text.length > LONGEST) return false;
  const tabs = text.split("\n").map((line) => line.split("\t").length);
  return tabs.length >= ROWS && tabs.every((count) => count === tabs[0]);
}

// As the page writes sizes: 1 MB is a million bytes.
function size(bytes, digits) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes, at = 0;
  while (value >= 1000 && at < units.length - 1) { value /= 1000; at += 1; }
  return `${at ? Number(value.toPrecision(digits)) : value} ${units[at]}`;
}
