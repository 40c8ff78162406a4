// A page in a frame. What a tool made has an opaque origin: nothing that it sends is believed but one number, its height,
// and that within bounds. The frame is made once for a page, so that a rerun neither loads it again nor moves it.

const LEAST = 40, MOST = 4000, BEFORE = 240;
const SECOND = 1000, MESSAGES = 200; // of one second: more is no page that grows, but one that means to keep us busy
const SANDBOX = { artifact: "allow-scripts", address: "allow-scripts allow-forms allow-same-origin" };

export default function (component) {
  const { parentElement, data } = component;
  const root = parentElement.querySelector(".artifact");
  const page = [data.kind, data.src, data.srcdoc, data.height].join("\n");
  if (root.page === page) return root.leave;
  root.leave?.();
  root.page = page;
  const part = (name) => root.querySelector("." + name);
  const say = (text) => { part("told").textContent = text; };
  let frame, slow, began = 0, counted = 0;

  function load() {
    part("before").hidden = true;
    say("Loading the page…");
    frame = document.createElement("iframe");
    frame.title = data.title;
    frame.setAttribute("sandbox", SANDBOX[data.kind]);
    frame.referrerPolicy = "no-referrer";
    frame.style.height = (data.height ?? (data.kind === "address" ? 480 : BEFORE)) + "px";
    frame.onload = () => { clearTimeout(slow); say(""); };
    slow = setTimeout(() => say(""), 8 * SECOND); // a page that never ends loading is shown as far as it came
    if (data.srcdoc) frame.srcdoc = data.srcdoc; else frame.src = data.src;
    part("place").replaceChildren(frame);
  }

  function stop(text) {
    frame.remove();
    frame = undefined;
    root.classList.add("stopped");
    say(text);
  }

  function take(event) {
    if (!frame || event.source !== frame.contentWindow) return;
    if (event.timeStamp - began > SECOND) { began = event.timeStamp; counted = 0; }
    if (++counted > MESSAGES) { stop("This page was stopped because it sent too many messages."); return; }
    const height = event.data?.anabranch === "height" ? event.data.height : undefined;
    if (data.kind !== "artifact" || data.height || typeof height !== "number" || !Number.isFinite(height)) return;
    frame.style.height = Math.min(MOST, Math.max(LEAST, Math.ceil(height))) + "px";
  }

  root.classList.remove("stopped");
  addEventListener("message", take);
  root.leave = () => { removeEventListener("message", take); clearTimeout(slow); root.page = undefined; };
  if (data.kind === "artifact") load();
  else {
    part("before").hidden = false;
    say("");
    part("place").replaceChildren();
    part("load").textContent = "Load the page at " + data.host;
    part("note").textContent = "Nothing has been loaded yet.";
    part("load").onclick = load;
  }
  if (data.kind === "artifact") part("before").hidden = true;
  return root.leave;
}
