// A tab's own token. sessionStorage lives as long as the tab, survives a reload, and no other tab or frame can read it.
// Where a browser keeps nothing, the offered token holds for this page alone.

const KEY = "anabranch-visitor";
const SHAPE = /^[0-9a-f]{64}$/;

export default function (component) {
  const { data, setStateValue } = component;
  let token = data.offered;
  try {
    const kept = sessionStorage.getItem(KEY);
    if (SHAPE.test(kept ?? "")) token = kept;
    else sessionStorage.setItem(KEY, token);
  } catch { /* nothing is kept */ }
  setStateValue("token", token);
}
