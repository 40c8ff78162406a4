// A button that copies a text. `navigator.clipboard` needs a secure context, which 127.0.0.1 is.
export default function (component) {
  const { parentElement, data } = component;
  const button = parentElement.querySelector(".copy");
  button.textContent = data.label;
  button.title = "Copy";
  button.onclick = async () => {
    await navigator.clipboard.writeText(data.text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = data.label; }, 1500);
  };
}
