// Pictures one at a time. Python gives {pictures: [{src, name, caption}]}; names and captions are a stranger's and go in as
// text only. Which picture is seen is kept on the element, so that a rerun changes nothing for the reader.

export default function (component) {
  const { parentElement, data } = component;
  const root = parentElement.querySelector(".carousel");
  const pictures = data.pictures;
  const part = (name) => root.querySelector("." + name);
  const sources = pictures.map((picture) => picture.src).join("\n");

  if (root.sources !== sources) {
    root.sources = sources;
    root.index = 0;
    part("stage").replaceChildren(...pictures.map(drawn), told());
  }

  function drawn(picture) {
    const image = document.createElement("img");
    image.alt = picture.caption || picture.name;
    image.decoding = "async";
    image.draggable = false;
    image.onerror = () => { image.failed = true; show(root.index); };
    return image;
  }

  function told() {
    const text = document.createElement("p");
    text.className = "broken";
    text.textContent = "This picture cannot be shown. Download it to view it.";
    text.hidden = true;
    return text;
  }

  function show(index) {
    root.index = ((index % pictures.length) + pictures.length) % pictures.length;
    const images = [...part("stage").querySelectorAll("img")];
    images.forEach((image, at) => {
      const near = [0, 1, images.length - 1].includes((at - root.index + images.length) % images.length);
      if (near && !image.getAttribute("src")) image.src = pictures[at].src; // the neighbours too: turning is then at once
      const seen = at === root.index && !image.failed;
      image.classList.toggle("shown", seen);
      image.ariaHidden = seen ? "false" : "true";
    });
    part("broken").hidden = !images[root.index].failed;
    const picture = pictures[root.index];
    part("caption").textContent = picture.caption;
    part("counter").textContent = root.index + 1 + " / " + pictures.length;
    part("download").href = picture.src;
    part("download").download = picture.name;
  }

  const several = pictures.length > 1;
  root.classList.toggle("single", !several);
  root.tabIndex = several ? 0 : -1;
  part("back").onclick = () => show(root.index - 1);
  part("next").onclick = () => show(root.index + 1);
  root.onkeydown = (event) => {
    const to = { ArrowLeft: root.index - 1, ArrowRight: root.index + 1, Home: 0, End: pictures.length - 1 }[event.key];
    if (!several || to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(to);
  };
  if (pictures.length) show(root.index);
  root.classList.add("alive");
}
