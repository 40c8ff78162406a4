// A button that copies a text. `navigator.clipboard` needs a secure context, which 127.0.0.1 is.
export default function (component) {
  const { parentElement, data } = component;
  const button = parentElement.querySelector(".copy");
  button.textContent = data.label;
  button.title = "Copy";
  button.onclick = async () => {
    if (data.html) {
      const kinds = { "text/plain": data.text, "text/html": data.html };
      const blobs = Object.entries(kinds).map(([type, text]) => [type, new Blob([text], { type })]);
      await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
    } else await navigator.clipboard.writeText(data.text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = data.label; }, 1500);
  };
}
