// Numbers of answers are links to "#number-STATUS-MESSAGE-PLACE". Python gives {names: {"MESSAGE-PLACE": what a screen
// reader says}}; `opened` is triggered with "MESSAGE-PLACE" by a click or Enter. N and Shift N go from number to number.

const LINKS = 'a[href^="#number-"]';

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const own = parentElement.querySelector(".numbers");
  const reference = (link) => link.getAttribute("href").replace(/^#number-[a-z]+-/, "");

  function clicked(event) {
    const link = event.target.closest?.(LINKS);
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("opened", reference(link));
  }
  function pressed(event) {
    const typing = event.composedPath()[0].closest?.("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.key.toLowerCase() !== "n" || event.defaultPrevented) return;
    const links = [...document.querySelectorAll(LINKS)];
    if (!links.length) return;
    const at = links.indexOf(document.activeElement), step = event.shiftKey ? -1 : 1;
    const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : (at + step + links.length) % links.length;
    event.preventDefault();
    links[next].focus();
    links[next].scrollIntoView({ block: "nearest" });
  }
  function name() {
    for (const link of document.querySelectorAll("a[data-number]")) {
      if (link.matches(LINKS)) continue; // the page uses the element for another link now
      for (const attribute of ["aria-label", "title", "data-number"]) link.removeAttribute(attribute);
    }
    for (const link of document.querySelectorAll(LINKS)) {
      const told = data.names[reference(link)];
      if (told && link.getAttribute("aria-label") !== told) {
        link.setAttribute("aria-label", told);
        link.title = told;
        link.dataset.number = "";
        link.removeAttribute("target");
      }
    }
  }

  own.close?.();
  let due = 0;
  const watch = new MutationObserver(() => { due ||= requestAnimationFrame(() => { due = 0; name(); }); });
  watch.observe(document.querySelector('[data-testid="stMain"]') ?? document.body, { childList: true, subtree: true });
  document.addEventListener("click", clicked, true);
  document.addEventListener("keydown", pressed);
  name();
  own.close = () => {
    watch.disconnect();
    cancelAnimationFrame(due);
    document.removeEventListener("click", clicked, true);
    document.removeEventListener("keydown", pressed);
  };
  return () => own.close();
}
