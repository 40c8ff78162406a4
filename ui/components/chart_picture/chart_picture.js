// Takes along the chart that stands in another part of the page. Nothing is fetched: the picture is made of what is drawn.
const SCALE = 2; // pixels of the PNG for each one on the page

export default function (component) {
  const { parentElement, data } = component;
  const told = parentElement.querySelector("p");
  const drawing = (kind) => document.querySelector(`.${CSS.escape(data.card)} ${kind}`);

  parentElement.querySelector("[data-kind=svg]").hidden = !drawing("svg.marks");
  for (const button of parentElement.querySelectorAll("button")) button.onclick = () => take(button.dataset.kind);
  parentElement.querySelector(".pictures").classList.add("alive");

  async function take(kind) {
    const shapes = drawing("svg.marks"), painted = drawing("canvas.marks");
    told.hidden = Boolean(shapes || painted);
    told.textContent = "The chart is still being drawn. Try again.";
    if (!shapes && !painted) return;
    const ground = getComputedStyle(document.querySelector(`.${CSS.escape(data.card)}`)).backgroundColor;
    if (kind === "svg") save(new Blob([written(shapes)], { type: "image/svg+xml" }), "svg");
    else (await filled(shapes ? await seen(shapes) : painted, ground)).toBlob((blob) => save(blob, "png"));
  }

  function written(shapes) {
    const copy = shapes.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.style.fontFamily = getComputedStyle(shapes).fontFamily;
    return new XMLSerializer().serializeToString(copy);
  }

  function seen(shapes) {
    return new Promise((done, failed) => {
      const image = new Image(shapes.clientWidth * SCALE, shapes.clientHeight * SCALE);
      image.onload = () => done(image);
      image.onerror = failed;
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(written(shapes));
    });
  }

  async function filled(source, ground) {
    const canvas = document.createElement("canvas");
    canvas.width = source.width;
    canvas.height = source.height;
    const pen = canvas.getContext("2d");
    pen.fillStyle = ground;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(source, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  function save(blob, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${data.name}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}
