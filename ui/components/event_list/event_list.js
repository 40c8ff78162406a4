// The events of a chat, of which only those in sight are drawn. Python gives what the history bar gets; `moved` is
// triggered with the position of an event that is clicked.

const HIGH = 28, AROUND = 6;

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const list = parentElement.querySelector(".list"), all = list.firstElementChild;
  const sum = (steps) => { let total = 0; return steps.map((value) => (total += value)); };
  const positions = sum(data.positions), times = sum(data.times);
  const here = positions.indexOf(data.at);
  all.style.height = positions.length * HIGH + "px";
  list.dataset.count = positions.length;

  const row = (index) => {
    const line = document.createElement("div");
    line.className = "row" + (index === here ? " here" : index > here ? " later" : "");
    line.id = "event-" + index;
    line.setAttribute("role", "option");
    line.setAttribute("aria-selected", String(index === here));
    line.style.top = index * HIGH + "px";
    for (const [kind, text] of [["number", positions[index].toLocaleString("en")], ["name", data.names[data.types[index]]], ["time", new Date(times[index]).toLocaleTimeString([], { hour12: false })]]) {
      const cell = document.createElement("span");
      cell.className = kind;
      cell.textContent = text;
      line.append(cell);
    }
    line.onclick = () => setTriggerValue("moved", positions[index]);
    return line;
  };
  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / HIGH) - AROUND);
    const past = Math.min(positions.length, Math.ceil((list.scrollTop + list.clientHeight) / HIGH) + AROUND);
    all.replaceChildren(...Array.from({ length: Math.max(0, past - first) }, (_, n) => row(first + n)));
    list.setAttribute("aria-activedescendant", here >= first && here < past ? "event-" + here : "");
  };
  const top = here * HIGH;
  if (list.at !== data.at && (top < list.scrollTop || top > list.scrollTop + list.clientHeight - HIGH)) list.scrollTop = top - list.clientHeight / 2;
  list.at = data.at;
  list.onscroll = () => requestAnimationFrame(draw);
  list.onkeydown = (event) => {
    const to = { ArrowDown: here + 1, ArrowUp: here - 1 }[event.key];
    if (to === undefined || to < 0 || to >= positions.length) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("moved", positions[to]);
  };
  draw();
}
