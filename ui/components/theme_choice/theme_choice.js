// The theme of this browser. Streamlit 1.67 keeps it in localStorage, once for each page's address, and reads it when a page
// is loaded; tests/browser/test_settings.py tells when that changes.

const NAMES = ["System", "Light", "Dark"];

export default function (component) {
  const { parentElement, data } = component;
  const root = parentElement.querySelector(".choice");
  const folder = location.pathname.replace(/[^/]*$/, "");
  const key = (page) => `stActiveTheme-${folder}${page}-v2`;
  const stored = () => {
    try { return JSON.parse(localStorage.getItem(key(location.pathname.slice(folder.length)))); } catch { return null; }
  };
  const now = NAMES.includes(stored()) ? stored() : "System";
  root.replaceChildren(...NAMES.map((name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", String(name === now));
    button.tabIndex = name === now ? 0 : -1;
    button.onclick = () => {
      for (const page of data.pages) localStorage.setItem(key(page), JSON.stringify(name));
      location.reload();
    };
    return button;
  }));
  root.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...root.children], at = all.indexOf(event.target);
    all[(at + step + all.length) % all.length].focus();
  };
}
