// Checks each part of the page against the list below it, and says what was changed. Nothing is fetched.
"use strict";
(async () => {
  const listed = JSON.parse(document.getElementById("parts").textContent);
  const sections = [...document.querySelectorAll("section.part")];
  const box = document.getElementById("check");
  const say = (state, title, text) => {
    box.className = state;
    const [head, more] = [document.createElement("b"), document.createElement("span")];
    head.textContent = title;
    more.textContent = text;
    box.replaceChildren(head, more);
  };
  if (!globalThis.crypto || !crypto.subtle) {
    say("", "Not checked", "This browser cannot compute hashes for this address.");
    return;
  }
  const digest = async (text) => {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
  };
  const addresses = (seen) =>
    [...seen.querySelectorAll("img, a")].flatMap((one) =>
      (one.tagName === "IMG" ? ["src", "alt"] : ["href"])
        .filter((name) => one.hasAttribute(name))
        .map((name) => one.getAttribute(name)),
    );
  const found = (section) => {
    const seen = section.querySelector(".seen");
    const text = seen.textContent.replace(/[ \t\n\r\f]+/g, " ").replace(/^ | $/g, "");
    return digest([text, ...addresses(seen)].join("\n"));
  };
  const changed = [];
  for (let at = 0; at < Math.max(listed.length, sections.length); at += 1) {
    const [wanted, section] = [listed[at], sections[at]];
    if (!wanted || !section) {
      changed.push(wanted ? `${wanted.name} (missing)` : "a part that was added");
      continue;
    }
    const actual = await found(section);
    const same = actual === wanted.sha256 && section.dataset.name === wanted.name;
    const seal = section.querySelector(".seal");
    seal.hidden = false;
    seal.className = same ? "seal same" : "seal other";
    seal.textContent = same
      ? `✓ ${wanted.sha256.slice(0, 8)}`
      : `✗ expected ${wanted.sha256.slice(0, 8)}, found ${actual.slice(0, 8)}`;
    seal.title = wanted.sha256;
    if (!same) {
      section.classList.add("changed");
      changed.push(wanted.name);
    }
  }
  const own = await digest(document.getElementById("parts").textContent);
  if (own !== document.getElementById("list-digest").textContent) changed.push("the list of parts");
  const when = new Date().toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  if (!changed.length) {
    say("same", "Unchanged since it was exported", `${listed.length} of ${listed.length} parts match · ${when}`);
    return;
  }
  say("other", `${changed.length} of ${listed.length} parts changed`, `Checked in your browser · ${when}`);
  const alarm = document.getElementById("alarm");
  const others = listed.length - changed.length;
  alarm.textContent = `Do not rely on this report. Changed after it was exported: ${changed.join(", ")}. ` +
    `The other ${others} parts are as exported. Ask the sender for the original.`;
  alarm.hidden = false;
})();
